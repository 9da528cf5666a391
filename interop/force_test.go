package interop_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestBL25GoHolderIsToldOfAForcedUnlockInJava(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		ctx, name := soon(t), p.name("forced in Java")
		m, j := p.mutex(name), p.thread("t1", name)
		h := hold(t, m)
		work := h.Context(ctx)
		in := waiting(t, p.mutexOf(p.client(t), name))
		p.subscribed(t, name, 1)
		removed, err := j.ForceUnlock(ctx)
		require.NoError(t, err)
		require.True(t, removed)
		freed := time.Now()
		require.Less(t, entered(t, in).at.Sub(freed), time.Second, "a forced unlock wakes Go waiters")
		told(t, h)
		<-work.Done()
		require.ErrorIs(t, context.Cause(work), recipes.ErrLost)
		require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)
		again := hold(t, m)
		require.NoError(t, again.Release(ctx))
	})
}

func TestForcedReleaseInGoEndsAJavaHold(t *testing.T) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		ctx, name := soon(t), p.name("forced in Go")
		m, j, next := p.mutex(name), p.thread("t1", name), p.thread("t2", name)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		call := next.GoLock(peer.Watchdog)
		p.subscribed(t, name, 1)
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		require.Len(t, s.Holders, 1)
		freed := time.Now()
		require.NoError(t, m.ForceRelease(ctx, s.Holders[0]))
		require.NoError(t, call.Err(ctx))
		require.Less(t, time.Since(freed), time.Second, "a forced release wakes Java waiters")
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)

		// The holder that was named is gone, and its successor is not meant.
		require.ErrorIs(t, m.ForceRelease(ctx, s.Holders[0]), recipes.ErrNotHeld)
		require.Equal(t, map[string]string{owner(t, next.Thread): "1"}, p.raw(t, name))
		require.NoError(t, next.Unlock(ctx))
	})
}
