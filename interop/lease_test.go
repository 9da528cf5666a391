package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

// Nobody publishes anything when a lease ends, so only timers let waiters in.
func TestLeaseOfJavaIsWaitedOutByGo(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("leased in Java")
		m, j := p.mutex(name), p.thread("t1", name)
		require.NoError(t, j.Lock(ctx, lease))
		ends := p.end(t, name)
		p.refused(t, name)
		first, second := waiting(t, m), waiting(t, p.mutexOf(p.client(t), name))
		for _, in := range []<-chan entry{first, second} {
			e := entered(t, in)
			require.GreaterOrEqual(t, e.at.UnixMilli(), ends.UnixMilli())
			late := time.UnixMilli(e.at.UnixMilli()).Sub(ends)
			t.Logf("in %v after the end of the lease", late)
			require.Less(t, late, time.Second)
		}
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
	})
}

func TestLeaseOfGoIsWaitedOutByJava(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("leased in Go")
		h := hold(t, p.mutex(name), recipes.WithLease(lease))
		ends := p.end(t, name)
		j := p.thread("t1", name)
		call := j.GoLock(peer.Watchdog)
		require.NoError(t, call.Err(ctx))
		require.Less(t, time.Since(ends), slack)
		var lost *recipes.LostError
		require.ErrorAs(t, h.Err(), &lost)
		require.Equal(t, recipes.ReasonLeaseOver, lost.Reason)
		require.False(t, call.Times().Ended.Before(lost.Since), "the Go holder was told before Java was in")
		require.NoError(t, j.Unlock(ctx))
	})
}

// The holder works on beyond its lease, the other language has the lock by
// then, and loses nothing to the late release.
func TestBL07LateReleaseTakesNothingFromTheOtherLanguage(t *testing.T) {
	t.Parallel()
	const lease = 500 * time.Millisecond
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("late in Java")
		m, j := p.mutex(name), p.thread("t1", name)
		require.NoError(t, j.Lock(ctx, lease))
		h := hold(t, m)
		ear := p.listen(t, name)
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
		require.Empty(t, ear.messages(t))
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		require.NoError(t, h.Err())
		require.NoError(t, h.Release(ctx))

		name = p.name("late in Go")
		m, j = p.mutex(name), p.thread("t1", name)
		h = hold(t, m, recipes.WithLease(lease))
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		ear = p.listen(t, name)
		require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)
		require.Empty(t, ear.messages(t))
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		require.NoError(t, j.Unlock(ctx))
	})
}
