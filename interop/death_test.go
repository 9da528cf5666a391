package interop_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestKilledJavaHolderKeepsGoOutForItsLease(t *testing.T) {
	t.Parallel()
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		name, dying := p.name("killed in Java"), p.jvm(t, "dying")
		j := p.threadOf(dying, "t1", name)
		require.NoError(t, j.Lock(soon(t), peer.Watchdog))
		held := p.raw(t, name)
		in := waiting(t, p.mutex(name))
		p.subscribed(t, name, 1)
		dying.Kill()
		killed, ends := time.Now(), p.end(t, name)
		require.Equal(t, held, p.raw(t, name), "a process that is killed releases nothing")
		e := entered(t, in)
		require.GreaterOrEqual(t, e.at.UnixMilli(), ends.UnixMilli())
		require.Less(t, e.at.Sub(killed), watchdog+slack)
	})
}

func TestKilledGoHolderKeepsJavaOutForItsLease(t *testing.T) {
	t.Parallel()
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("killed in Go")
		dying := p.service(t, name)
		require.Equal(t, map[string]string{dying.owner: "1"}, p.raw(t, name))
		j := p.thread("t1", name)
		call := j.GoLock(peer.Watchdog)
		p.subscribed(t, name, 1)
		dying.kill(t)
		killed, ends := time.Now(), p.end(t, name)
		require.Equal(t, map[string]string{dying.owner: "1"}, p.raw(t, name), "a process that is killed releases nothing")
		require.NoError(t, call.Err(ctx))
		require.GreaterOrEqual(t, call.Times().Ended.UnixMilli(), ends.UnixMilli())
		require.Less(t, time.Since(killed), watchdog+slack)
		require.NoError(t, j.Unlock(ctx))
	})
}

func TestBL23PausedJavaHolderTakesNothingFromGoWhenItWakes(t *testing.T) {
	t.Parallel()
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name, paused := soon(t), p.name("paused in Java"), p.jvm(t, "paused")
		j := p.threadOf(paused, "t1", name)
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		require.NoError(t, paused.Pause())
		const lease = time.Minute
		h := hold(t, p.mutex(name), recipes.WithLease(lease))
		ends := p.end(t, name)
		require.NoError(t, paused.Resume())
		<-time.After(watchdog) // its watchdog is late by more than a lease, and comes now
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
		require.Equal(t, map[string]string{h.Owner(): "1"}, p.raw(t, name))
		require.Equal(t, ends, p.end(t, name))
		require.NoError(t, h.Release(ctx))
	})
}

func TestBL23PausedGoHolderIsToldWhenItWakesInsideJavasTurn(t *testing.T) {
	t.Parallel()
	beside(t, onServer, func(t *testing.T, p *pair) {
		t.Parallel()
		ctx, name := soon(t), p.name("paused in Go")
		paused := p.service(t, name)
		paused.signal(t, syscall.SIGSTOP)
		j := p.thread("t1", name)
		const lease = time.Minute
		require.NoError(t, j.Lock(ctx, lease))
		ends := p.end(t, name)
		paused.signal(t, syscall.SIGCONT)
		require.Contains(t, paused.says(t, "lost"), "lost")
		require.Contains(t, paused.says(t, "released"), "lost")
		require.Equal(t, map[string]string{owner(t, j.Thread): "1"}, p.raw(t, name))
		require.Equal(t, ends, p.end(t, name))
		require.NoError(t, j.Unlock(ctx))
	})
}
