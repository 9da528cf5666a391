package zkx_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

func lock(t *testing.T, l recipes.Locker, opts ...recipes.LockOption) *recipes.Hold {
	t.Helper()
	h, err := l.Lock(t.Context(), opts...)
	require.NoError(t, err)
	return h
}

// sleep lets virtual time go by.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestHeartbeatsKeepAHoldForAsLongAsItLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		h := lock(t, m)
		sleep(time.Second)
		f.did()
		sleep(10 * timeout)
		require.NoError(t, h.Err())
		did := f.did()
		require.InDelta(t, 40, did["check"], 2, "a heartbeat every quarter of the time-out")
		require.Zero(t, did["get"], "and nothing else: %v", did)
		require.NoError(t, h.Release(t.Context()))
		require.Empty(t, f.contenders())
	})
}

// The validity counts from the last request that a quorum answered, in every
// phase between two heartbeats; not from when a disconnect is noticed (BL-90).
func TestSilentServerEndsAHoldBeforeItsSessionCanEnd(t *testing.T) {
	for name, told := range map[string]bool{"noticed": true, "unnoticed": false} {
		for phase := range 6 {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					h := lock(t, f.mutex(t))
					sleep(timeout + time.Duration(phase)*timeout/24)
					answered := time.Now().Add(-timeout / 4) // the last heartbeat is no older
					f.silence(true, told)
					<-h.Done()
					require.Less(t, time.Since(answered), timeout+timeout/4-time.Second+time.Millisecond)
					why := recipes.ReasonDisconnected // heartbeats have failed before
					lost(t, h.Err(), why)
					require.NotEmpty(t, f.contenders(), "the node is left alone: its work may be running")
				})
			})
		}
	}
}

func TestHoldAndPlaceLiveOnWhenTheSessionDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var seen events
		m := f.mutex(t, zkcore.WithObserver(&seen))
		h := lock(t, m)
		got := make(chan *recipes.Hold, 1)
		go func() {
			w, err := m.Lock(context.WithoutCancel(t.Context()))
			if err == nil {
				got <- w
			}
		}()
		sleep(time.Second)
		places := f.contenders()
		require.Len(t, places, 2)
		for range 5 {
			f.silence(true, true)
			sleep(timeout / 2)
			require.NoError(t, h.Err())
			f.silence(false, true)
			sleep(timeout / 2)
		}
		require.NoError(t, h.Err())
		require.ElementsMatch(t, places, f.contenders())
		require.Equal(t, 5, seen.count(recipes.EventAtRisk))
		require.Equal(t, 5, seen.count(recipes.EventSafe))
		require.NoError(t, h.Release(t.Context()))
		require.NoError(t, (<-got).Release(t.Context()))
	})
}

func TestServersWordEndsTheSessionAtOnceAndWaitersQueueAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m, other := f.mutex(t), f.mutex(t)
		front := lock(t, other)
		mine := f.current
		h := make(chan *recipes.Hold, 1)
		go func() {
			got, err := m.Lock(context.WithoutCancel(t.Context()))
			if err == nil {
				h <- got
			}
		}()
		sleep(2 * time.Second)
		require.Len(t, f.contenders(), 2)
		require.NotEqual(t, mine, f.current)
		f.current.kill() // the waiter's
		sleep(2 * time.Second)
		require.Len(t, f.contenders(), 2, "it stands in line again, in a new session")
		mine.kill()
		sleep(100 * time.Millisecond)
		lost(t, front.Err(), recipes.ReasonSessionExpired)
		got := <-h
		require.NoError(t, got.Err())
		require.NoError(t, got.Release(t.Context()))
	})
}

func TestLeaseIsKeptByTheLibrary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		const lease = time.Minute
		start := time.Now()
		h := lock(t, m, recipes.WithLease(lease))
		<-h.Done()
		require.Equal(t, lease-lease/20, time.Since(start).Round(time.Millisecond))
		lost(t, h.Err(), recipes.ReasonLeaseOver)
		require.Len(t, f.contenders(), 1, "the work has the margin to stop in")
		next := lock(t, m)
		require.GreaterOrEqual(t, time.Since(start), lease, "late, never early")
		require.Less(t, time.Since(start), lease+time.Second)
		require.NoError(t, next.Release(t.Context()))
	})
}

func TestExtendSetsALeaseAnewAndAsksWhetherTheNodeIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		h := lock(t, m, recipes.WithLease(time.Minute))
		sleep(50 * time.Second)
		require.NoError(t, h.Extend(t.Context(), time.Minute))
		sleep(50 * time.Second)
		require.NoError(t, h.Err())
		require.NoError(t, h.Extend(t.Context(), 200*time.Millisecond))
		<-h.Done()
		lost(t, h.Err(), recipes.ReasonLeaseOver)
		sleep(time.Second)
		require.Empty(t, f.contenders())

		h = lock(t, m)
		f.expire(f.current.id) // by hand
		lost(t, h.Extend(t.Context(), 0), recipes.ReasonTaken)
	})
}

func TestMaximumHoldEndsAndFreesTheLockALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		start := time.Now()
		h := lock(t, m, recipes.WithMaxHold(time.Minute))
		<-h.Done()
		require.Equal(t, time.Minute, time.Since(start).Round(time.Millisecond))
		lost(t, h.Err(), recipes.ReasonLeaseOver)
		next := lock(t, m)
		require.Greater(t, time.Since(start), time.Minute)
		require.NoError(t, next.Release(t.Context()))
	})
}

func TestWaitersPutUpWithSilenceForOneSessionTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m, other := f.mutex(t), f.mutex(t)
		h := lock(t, other)
		ends := make(chan time.Duration, 3)
		for range 3 {
			go func() {
				start := time.Now()
				_, err := m.Lock(context.WithoutCancel(t.Context()))
				require.ErrorIs(t, err, recipes.ErrUnavailable)
				ends <- time.Since(start)
			}()
		}
		sleep(time.Second)
		f.silence(true, true)
		for range 3 {
			require.InDelta(t, float64(timeout+time.Second), float64(<-ends), float64(timeout/2))
		}
		start := time.Now()
		_, err := m.TryLock(t.Context())
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.LessOrEqual(t, time.Since(start), timeout/3+time.Second)
		_ = h
		f.silence(false, false)
	})
}
