package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestReleaseOfEachLanguageWakesTheOther(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) { p.wakes(t, p.name("wakes"), 15) })
}

// wakes measures how long a waiter of each language takes to get in when the
// other lets go.
func (p *pair) wakes(t *testing.T, name string, rounds int) {
	t.Helper()
	ctx := soon(t)
	// Two names, since a Go client stays subscribed for a while after it was in.
	m, j := p.mutex(name+" in Go"), p.thread("t1", name+" in Go")
	var toGo, toJava figures
	for range rounds {
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		in := waiting(t, m)
		p.subscribed(t, m.Name(), 1)
		require.Empty(t, in)
		freed := time.Now()
		require.NoError(t, j.Unlock(ctx))
		toGo = append(toGo, entered(t, in).at.Sub(freed))
	}
	m, j = p.mutex(name+" in Java"), p.thread("t1", name+" in Java")
	for range rounds {
		h := hold(t, m)
		call := j.GoLock(peer.Watchdog)
		p.subscribed(t, m.Name(), 1)
		outside(t, call)
		freed := time.Now()
		require.NoError(t, h.Release(ctx))
		require.NoError(t, call.Err(ctx))
		toJava = append(toJava, time.Since(freed))
		require.NoError(t, j.Unlock(ctx))
	}
	t.Logf("Java's unlock lets Go in: %v", toGo)
	t.Logf("Go's release lets Java in: %v", toJava)
	toGo.bySignal(t)
	toJava.bySignal(t)
}

func TestOnlyTheLastReleaseWakesTheOtherLanguage(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		ctx, name := soon(t), p.name("last in Java")
		m, j := p.mutex(name), p.thread("t1", name)
		h := hold(t, m)
		inner, err := m.Lock(h.Context(ctx))
		require.NoError(t, err)
		call := j.GoLock(peer.Watchdog)
		p.subscribed(t, name, 1)
		ear := p.listen(t, name)
		require.NoError(t, inner.Release(ctx))
		require.Empty(t, ear.messages(t))
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		outside(t, call)
		require.NoError(t, h.Release(ctx))
		require.NoError(t, call.Err(ctx))
		require.Equal(t, []string{"0"}, ear.messages(t))
		require.NoError(t, j.Unlock(ctx))

		name = p.name("last in Go")
		m, j = p.mutex(name), p.thread("t1", name)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		in := waiting(t, m)
		p.subscribed(t, name, 1)
		ear = p.listen(t, name)
		require.NoError(t, j.Unlock(ctx))
		require.Empty(t, ear.messages(t))
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		require.Empty(t, in)
		require.NoError(t, j.Unlock(ctx))
		entered(t, in)
	})
}

func TestBL12LevelsOfEachLanguageAreSeenByTheOther(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		ctx, name := soon(t), p.name("levels")
		m, j := p.mutex(name), p.thread("t1", name)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		again, err := j.TryLock(ctx, peer.NoWait, peer.Watchdog)
		require.NoError(t, err)
		require.True(t, again, "a try by the owner goes a level deeper")
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		require.Len(t, s.Holders, 1)
		require.Equal(t, owner(t, j.Thread), s.Holders[0].ID)
		require.Equal(t, 2, s.Holders[0].Count)
		p.refused(t, name)
		require.NoError(t, j.Unlock(ctx))
		p.refused(t, name)
		require.NoError(t, j.Unlock(ctx))
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)

		h := hold(t, m)
		inner, err := m.TryLock(h.Context(ctx))
		require.NoError(t, err)
		require.Equal(t, 2, inner.Count())
		require.Equal(t, map[string]string{h.Owner(): "2"}, p.raw(t, name))
		p.seenByJava(t, j)
		p.refused(t, name)
		require.NoError(t, h.Release(ctx), "levels may go in any order")
		p.seenByJava(t, j)
		p.refused(t, name)
		require.NoError(t, inner.Release(ctx))
		locked, err := j.IsLocked(ctx)
		require.NoError(t, err)
		require.False(t, locked)
	})
}

// seenByJava says that a Java thread finds the lock held, by another, for a lease.
func (p *pair) seenByJava(t *testing.T, j peer.Lock) {
	t.Helper()
	ctx := soon(t)
	locked, err := j.IsLocked(ctx)
	require.NoError(t, err)
	require.True(t, locked)
	mine, err := j.HeldByThread(ctx)
	require.NoError(t, err)
	require.False(t, mine)
	levels, err := j.HoldCount(ctx)
	require.NoError(t, err)
	require.Zero(t, levels)
	ttl, err := j.TTL(ctx)
	require.NoError(t, err)
	require.Positive(t, ttl)
	require.LessOrEqual(t, ttl, watchdog.Milliseconds())
	require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
}

func TestRefusedTriesAndWaitsLeaveNoTrace(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		const short = 150 * time.Millisecond
		ctx, name := soon(t), p.name("refused")
		m, j, other := p.mutex(name), p.thread("t1", name), p.thread("t2", name)

		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		p.refused(t, name)
		_, err := m.Lock(ctx, recipes.WithWait(short))
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		require.NoError(t, j.Unlock(ctx))

		h := hold(t, m)
		p.refused(t, name)
		got, err := other.TryLock(ctx, short, peer.Watchdog)
		require.NoError(t, err)
		require.False(t, got)
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		require.NoError(t, h.Release(ctx))

		require.Empty(t, p.raw(t, name))
		require.Eventually(t, func() bool { return p.listeners(t, name) == 0 }, patience, 10*time.Millisecond)
	})
}

// The Java waiter subscribes anew in each round, so releases fall before, into
// and after its subscription, and the Go waiter's likewise.
func TestBL29ReleaseThatMeetsASubscriptionIsNotMissed(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		const rounds = 150
		ctx, name := soon(t), p.name("meets")
		call := p.thread("t1", name).GoLoop(peer.Rounds{N: rounds, Think: time.Millisecond, Pause: 300 * time.Microsecond})
		m := p.mutex(name)
		var waits figures
		for i := range rounds {
			asked := time.Now()
			h := hold(t, m)
			waits = append(waits, time.Since(asked))
			<-time.After(time.Duration(i%20) * 100 * time.Microsecond) // the work
			require.NoError(t, h.Release(ctx))
		}
		work, err := call.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds, work.Entered)
		var java figures
		for _, stay := range work.History {
			java = append(java, stay.Got.Sub(stay.Asked))
		}
		t.Logf("waits of Go: %v", waits)
		t.Logf("waits of Java: %v", java)
		waits.bySignal(t)
		java.bySignal(t)
	})
}
