package zkx_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

// The heartbeat, by which all holds of a session live, waits for nobody.
func TestCrowdAtOneLockCostsNoOtherHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var seen events
		c := f.client(t, zkcore.WithObserver(&seen))
		mine := lock(t, mutex.NewZooKeeper(c, "/mine"))
		f.mu.Lock()
		f.stall = func(op zkcore.Op) bool { return op.Kind != zkcore.Check }
		f.mu.Unlock()
		ctx, cancel := context.WithCancel(t.Context())
		const crowd = 100
		ends := make(chan error, crowd)
		for range crowd {
			go func() {
				_, err := mutex.NewZooKeeper(c, "/locks/orders").Lock(ctx)
				ends <- err
			}()
		}
		sleep(3 * timeout)
		require.NoError(t, mine.Err())
		require.Zero(t, seen.count(recipes.EventAtRisk))
		cancel()
		for range crowd {
			require.Error(t, <-ends)
		}
		f.mu.Lock()
		f.stall = nil
		f.mu.Unlock()
		require.NoError(t, mine.Release(t.Context()))
		sleep(10 * time.Second)
		require.Empty(t, f.contenders())
	})
}

// A claim is passed the lock only if its own node is still there.
func TestHeirWhoseNodeWasDeletedByHandIsNotGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		front := lock(t, m)
		got := make(chan *recipes.Hold, 1)
		go func() {
			if h, err := m.Lock(context.WithoutCancel(t.Context())); err == nil {
				got <- h
			}
		}()
		sleep(100 * time.Millisecond)
		f.mu.Lock()
		for _, name := range f.children("/locks/orders") {
			if name != front.Owner() {
				f.remove("/locks/orders/" + name)
			}
		}
		f.mu.Unlock()
		require.NoError(t, front.Release(t.Context()))
		h := <-got
		require.Equal(t, []string{h.Owner()}, f.contenders(), "it holds by a node that is there")
		require.NoError(t, h.Release(t.Context()))
	})
}

// A wait behind a level of one's own says so, whatever the store does meanwhile;
// and a limit of ours is not the end of the caller's context.
func TestWaitBehindASiblingBlamesNoStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		h := lock(t, m)
		ctx := h.Context(t.Context())
		inner, err := m.Lock(ctx)
		require.NoError(t, err)
		f.silence(true, false)
		sleep(timeout / 3) // a heartbeat has had no answer
		err = h.Extend(context.Background(), 0)
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		_, err = m.Lock(ctx, recipes.WithWait(50*time.Millisecond))
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.ErrorContains(t, err, "behind a level taken with the same context")
		f.silence(false, false)
		require.NoError(t, inner.Release(context.Background()))
		require.NoError(t, h.Release(context.Background()))
	})
}
