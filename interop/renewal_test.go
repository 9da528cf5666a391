package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestWatchdogsOfBothLanguagesRunSideBySide(t *testing.T) {
	t.Parallel()
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, ofJava, ofGo := soon(t), p.name("of Java"), p.name("of Go")
		j := p.thread("t1", ofJava)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		h := hold(t, p.mutex(ofGo))
		over := time.After(3 * watchdog)
		for again := time.NewTicker(watchdog / 10); ; <-again.C {
			p.refused(t, ofJava)
			p.refused(t, ofGo)
			select {
			case <-over:
				again.Stop()
				require.NoError(t, h.Err())
				require.NoError(t, h.Release(ctx))
				require.NoError(t, j.Unlock(ctx))
				return
			default:
			}
		}
	})
}

// How long a hold of the other language lasts is nobody else's business: it is
// looked at, waited for, asked for and refused, and its end stays where it was.
func TestBL19NeitherLanguageRenewsTheOthersHold(t *testing.T) {
	t.Parallel()
	const lease = time.Minute
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, ofJava, ofGo := soon(t), p.name("of Java"), p.name("of Go")
		// Their watchdogs are awake, with holds of their own.
		require.NoError(t, p.thread("t1", p.name("awake in Java")).Lock(ctx, peer.Watchdog))
		awake := hold(t, p.mutex(p.name("awake in Go")))

		j := p.thread("t1", ofJava)
		require.NoError(t, j.Lock(ctx, lease))
		m := p.mutex(ofGo)
		h := hold(t, m, recipes.WithLease(lease))
		javaEnds, goEnds := p.end(t, ofJava), p.end(t, ofGo)
		_, err := p.mutex(ofJava).Lock(ctx, recipes.WithWait(watchdog))
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		got, err := p.thread("t2", ofGo).TryLock(ctx, watchdog, peer.Watchdog)
		require.NoError(t, err)
		require.False(t, got)
		_, err = p.mutex(ofJava).Inspect(ctx)
		require.NoError(t, err)
		p.refused(t, ofJava)
		p.refused(t, ofGo)
		require.Equal(t, javaEnds, p.end(t, ofJava))
		require.Equal(t, goEnds, p.end(t, ofGo))
		require.NoError(t, h.Release(ctx))
		require.NoError(t, j.Unlock(ctx))
		require.NoError(t, awake.Release(ctx))
	})
}

// A watchdog that has not yet noticed that its hold is gone meets the other
// language's hold in its place.
func TestBL19WatchdogLeavesTheNewOwnerAlone(t *testing.T) {
	t.Parallel()
	const lease = time.Minute
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("taken from Go")
		m, j := p.mutex(name), p.thread("t1", name)
		h := hold(t, m)
		removed, err := j.ForceUnlock(ctx)
		require.NoError(t, err)
		require.True(t, removed)
		require.NoError(t, j.Lock(ctx, lease))
		ends := p.end(t, name)
		told(t, h)
		require.Equal(t, ends, p.end(t, name))
		ear := p.listen(t, name)
		require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		require.Equal(t, ends, p.end(t, name))
		require.Empty(t, ear.messages(t))
		require.NoError(t, j.Unlock(ctx))

		name = p.name("taken from Java")
		m, j = p.mutex(name), p.thread("t1", name)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		require.NoError(t, m.ForceRelease(ctx, s.Holders[0]))
		h = hold(t, m, recipes.WithLease(lease))
		ends = p.end(t, name)
		<-time.After(watchdog) // Java renews every third of it
		require.Equal(t, ends, p.end(t, name))
		ear = p.listen(t, name)
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		require.Equal(t, ends, p.end(t, name))
		require.Empty(t, ear.messages(t))
		require.NoError(t, h.Release(ctx))
	})
}

// told waits until a Go holder is told that its lock was taken, which its next
// renewal shows.
func told(t *testing.T, h *recipes.Hold) {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(watchdog/3 + slack):
		require.Fail(t, "the Go holder was not told")
	}
	var lost *recipes.LostError
	require.ErrorAs(t, h.Err(), &lost)
	require.Equal(t, recipes.ReasonTaken, lost.Reason)
}
