package claim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/claim"
)

func TestAnHeirInheritsOnce(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	require.Nil(t, l.Heir(16, time.Hour), "nobody waits")
	one, two := join(&l, nil), join(&l, nil)
	heir := l.Heir(16, time.Hour)
	require.Same(t, one.Place, heir)
	require.False(t, one.asks(), "what is handed to it is on the way")
	require.Nil(t, l.Heir(16, time.Hour), "it is spoken for")

	require.True(t, heir.Inherit("it"))
	require.True(t, one.woken())
	require.Equal(t, "it", one.Bequest())
	require.Nil(t, one.Bequest(), "once")
	require.True(t, l.InRow())
	require.False(t, two.asks(), "the heir holds")
	l.Gone()
	require.True(t, two.woken())
	require.True(t, two.asks())
	two.Granted()
	require.False(t, l.InRow(), "a grant of the store ends the row")
}

func TestAnHeirThatHasLeftInheritsNothing(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	one, two := join(&l, nil), join(&l, nil)
	heir := l.Heir(16, time.Hour)
	require.True(t, one.Leave(), "a hand-over is on the way: its effect must be undone")
	require.False(t, heir.Inherit("it"))
	require.Nil(t, one.Bequest())
	require.True(t, two.woken())
	require.True(t, two.asks(), "the hold is over")
	two.Leave()
	require.True(t, l.Idle())
}

func TestAnHeirOfNothingWaitsOn(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	one := join(&l, nil)
	l.Heir(16, time.Hour).Pass()
	require.True(t, one.woken())
	require.True(t, one.asks())
	require.False(t, l.InRow())
}

func TestOneThatAsksIsNoHeir(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	l.Gone()
	one := join(&l, nil)
	require.True(t, one.asks())
	l.Hold() // a try was quicker
	require.Nil(t, l.Heir(16, time.Hour), "its own request may be granted at any moment")
	one.Refused()
	require.NotNil(t, l.Heir(16, time.Hour))
}

// TestATryBeginsARow: its grant came from the store as well.
func TestATryBeginsARow(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	join(&l, nil)
	require.True(t, l.Heir(16, time.Hour).Inherit("it"))
	l.Gone()
	l.Hold()
	require.False(t, l.InRow())

	var fresh claim.Line
	fresh.Hold()
	join(&fresh, nil)
	require.NotNil(t, fresh.Heir(16, time.Hour))
}

func TestARowOfHandOversIsBoundedInNumber(t *testing.T) {
	var l claim.Line
	grantOne(&l)
	const most = 3
	for range most {
		w := join(&l, nil)
		require.True(t, l.Heir(most, time.Hour).Inherit("it"))
		require.Equal(t, "it", w.Bequest())
	}
	w := join(&l, nil)
	require.Nil(t, l.Heir(most, time.Hour))
	l.Gone()
	require.True(t, w.asks())
	w.Granted()
	join(&l, nil)
	require.NotNil(t, l.Heir(most, time.Hour), "a grant of the store begins a new one")
}

func TestARowOfHandOversIsBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l claim.Line
		first := join(&l, nil)
		require.True(t, first.asks())
		first.Granted()
		for range 3 {
			join(&l, nil)
			time.Sleep(time.Second)
			require.True(t, l.Heir(16, 3500*time.Millisecond).Inherit("it"))
		}
		join(&l, nil)
		time.Sleep(time.Second)
		require.Nil(t, l.Heir(16, 3500*time.Millisecond))
	})
}

func TestAfterARowTheLineStandsBack(t *testing.T) {
	const least, most = 10 * time.Millisecond, time.Second
	for _, c := range []struct {
		name    string
		heardAt time.Duration
		askAt   time.Duration
	}{
		{"the message comes at once", 0, least},
		{"it comes later", 300 * time.Millisecond, 300 * time.Millisecond},
		{"it is lost", time.Hour, most},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l claim.Line
				grantOne(&l)
				join(&l, nil)
				require.True(t, l.Heir(16, time.Hour).Inherit("it"))
				next := join(&l, nil)
				start := time.Now()
				l.EndRow(least, most, func() bool { return time.Since(start) >= c.heardAt })
				l.Gone()
				for !next.asks() {
					ask, front, after := next.Turn()
					require.False(t, ask)
					require.True(t, front, "it listens meanwhile")
					require.Positive(t, after)
					time.Sleep(time.Millisecond)
				}
				require.Equal(t, c.askAt, time.Since(start))
			})
		})
	}
}

func TestALineThatHandedNothingOverDoesNotStandBack(t *testing.T) {
	var l claim.Line
	one := join(&l, nil)
	require.True(t, one.asks())
	one.Granted()
	next := join(&l, nil)
	l.EndRow(time.Hour, time.Hour, func() bool { return false })
	l.Gone()
	require.True(t, next.asks())
}
