package mutex_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// These tests run the whole stack, with an embedded server behind in-memory
// connections, in virtual time: a Sleep here moves the clock and waits for
// nothing. Each has a sibling on a real server, in real time.

func TestHoldOutlivesAnHourUnderTheWatchdog(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, _ := w.client(t)
		b, _ := w.client(t)
		h, err := mutex.NewRedis(a, "job").Lock(t.Context())
		require.NoError(t, err)
		other := mutex.NewRedis(b, "job")
		for range 61 {
			time.Sleep(time.Minute)
			require.NoError(t, h.Err())
			require.Greater(t, time.Until(h.ValidUntil()), 15*time.Second)
			_, err := other.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
		}
		require.NoError(t, h.Release(t.Context()))
		h, err = other.TryLock(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestCutOffHolderIsToldBeforeItsLeaseEnds(t *testing.T) {
	for phase := time.Duration(0); phase < 12*time.Second; phase += 1500 * time.Millisecond {
		inVirtualTime(t, func(t *testing.T, w *world) {
			a, line := w.client(t)
			b, _ := w.client(t)
			h, err := mutex.NewRedis(a, "job").Lock(t.Context())
			require.NoError(t, err)
			ctx := h.Context(t.Context())
			time.Sleep(phase)
			line.dead.Store(true)
			entered := make(chan time.Time, 1)
			go func() {
				h, err := mutex.NewRedis(b, "job").Lock(t.Context())
				if err == nil {
					now := time.Now()
					_ = h.Release(t.Context())
					entered <- now
				}
			}()
			<-h.Done()
			told := time.Now()
			require.Equal(t, recipes.ReasonDisconnected, lostReason(t, h.Err()))
			<-ctx.Done()
			require.ErrorIs(t, context.Cause(ctx), recipes.ErrLost)
			next := <-entered
			require.Greater(t, next.Sub(told), time.Second, "the margin of a 30 s lease is 1.5 s")
			require.Contains(t, w.events.kinds(), recipes.EventAtRisk)
		})
	}
}

func TestBL15FailedRenewalIsTriedAgainEarly(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		h, err := mutex.NewRedis(a, "job").Lock(t.Context())
		require.NoError(t, err)
		time.Sleep(8 * time.Second)
		line.refuse.Store(true)
		line.reset()
		time.Sleep(4 * time.Second)
		require.Contains(t, w.events.kinds(), recipes.EventAtRisk)
		line.refuse.Store(false)
		time.Sleep(6 * time.Second) // the longest pause is a sixth of the lease, and a fifth of that
		require.NoError(t, h.Err())
		require.Greater(t, time.Until(h.ValidUntil()), 20*time.Second, "renewed again")
		require.Equal(t, []string{recipes.EventAcquired, recipes.EventAtRisk, recipes.EventSafe}, w.events.kinds())
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestBL20DeletedKeyIsNoticedWithinAThirdOfTheLease(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, _ := w.client(t)
		h, err := mutex.NewRedis(a, "job").Lock(t.Context())
		require.NoError(t, err)
		time.Sleep(time.Second)
		w.server.Del("job")
		gone := time.Now()
		<-h.Done()
		require.LessOrEqual(t, time.Since(gone), 10*time.Second+100*time.Millisecond)
		require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Err()))
		before := w.server.CommandCount()
		time.Sleep(time.Minute)
		require.Equal(t, before, w.server.CommandCount(), "nothing is renewed any more")
		require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Release(t.Context())))
		require.ErrorIs(t, h.Release(t.Context()), recipes.ErrNotHeld)
	})
}

func TestMaxHoldEndsAtItsTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, _ := w.client(t)
		b, _ := w.client(t)
		start := time.Now()
		h, err := mutex.NewRedis(a, "job").Lock(t.Context(), recipes.WithMaxHold(75*time.Second))
		require.NoError(t, err)
		<-h.Done()
		require.Equal(t, recipes.ReasonLeaseOver, lostReason(t, h.Err()))
		require.InDelta(t, 75, time.Since(start).Seconds(), 0.1)
		next, err := mutex.NewRedis(b, "job").Lock(t.Context())
		require.NoError(t, err)
		require.Less(t, time.Since(start), 90*time.Second, "what the store has is not renewed far beyond the maximum")
		require.NoError(t, next.Release(t.Context()))
	})
}

func TestWaitersOfASilentStoreLeaveTogetherAfterOneLease(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		b, _ := w.client(t)
		h, err := mutex.NewRedis(b, "job").Lock(t.Context())
		require.NoError(t, err)
		const waiters = 5
		left := make(chan error, waiters)
		for range waiters {
			go func() {
				_, err := mutex.NewRedis(a, "job").Lock(t.Context())
				left <- err
			}()
		}
		synctest.Wait()
		time.Sleep(10 * time.Second)
		line.dead.Store(true)
		cut := time.Now()
		require.ErrorIs(t, <-left, recipes.ErrUnavailable)
		first := time.Now()
		for range waiters - 1 {
			require.ErrorIs(t, <-left, recipes.ErrUnavailable)
		}
		require.InDelta(t, 31, first.Sub(cut).Seconds(), 1.5)
		require.Less(t, time.Since(first), 2*time.Second)
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestOutageShorterThanALeaseIsWaitedThrough(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		line.refuse.Store(true)
		go func() {
			time.Sleep(20 * time.Second)
			line.refuse.Store(false)
		}()
		h, err := mutex.NewRedis(a, "job").Lock(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestOutageLongPastIsNotHeldAgainstTheStore(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		line.refuse.Store(true)
		m := mutex.NewRedis(a, "job")
		_, err := m.Lock(t.Context(), recipes.WithWait(time.Second))
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		time.Sleep(time.Hour)
		go func() {
			time.Sleep(5 * time.Second)
			line.refuse.Store(false)
		}()
		h, err := m.Lock(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestTryLockGivesASilentStoreAThirdOfTheLease(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		m := mutex.NewRedis(a, "job")
		h, err := m.TryLock(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
		line.dead.Store(true)
		for _, c := range []struct {
			opts []recipes.LockOption
			most time.Duration
		}{
			{nil, 10 * time.Second},
			{[]recipes.LockOption{recipes.WithLease(3 * time.Second)}, time.Second},
		} {
			start := time.Now()
			_, err = m.TryLock(t.Context(), c.opts...)
			require.ErrorIs(t, err, recipes.ErrUnavailable)
			require.LessOrEqual(t, time.Since(start), c.most)
		}
	})
}

func TestRenewalsDoNotPileUp(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, _ := w.client(t)
		m := func(i int) *mutex.Mutex { return mutex.NewRedis(a, fmt.Sprintf("job:%d", i)) }
		for i := range 300 {
			h, err := m(i).Lock(t.Context())
			require.NoError(t, err)
			require.NoError(t, h.Release(t.Context()))
		}
		var holds []*recipes.Hold
		for i := range 50 {
			h, err := m(i).Lock(t.Context())
			require.NoError(t, err)
			holds = append(holds, h)
		}
		before := w.server.CommandCount()
		time.Sleep(60 * time.Second)
		inside := 50 * 2 * 6 // the commands of the scripts: two a hold, six times
		require.LessOrEqual(t, w.server.CommandCount()-before, inside+2*7, "one or two requests a third of a lease")
		for _, h := range holds {
			require.NoError(t, h.Err())
			require.NoError(t, h.Release(t.Context()))
		}
	})
}

func TestReleaseWithoutAnAnswerIsUnknownAndRepeated(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, w *world) {
		a, line := w.client(t)
		b, _ := w.client(t)
		h, err := mutex.NewRedis(a, "job").Lock(t.Context())
		require.NoError(t, err)
		line.dead.Store(true)
		start := time.Now()
		err = h.Release(t.Context())
		require.InDelta(t, 5, time.Since(start).Seconds(), 0.1, "the release budget")
		var unknown *recipes.UnknownError
		require.ErrorAs(t, err, &unknown)
		require.ErrorIs(t, err, recipes.ErrUnknown)
		require.False(t, errors.Is(err, recipes.ErrLost))
		require.InDelta(t, 26, time.Until(unknown.Until).Seconds(), 1)
		line.dead.Store(false)
		line.reset()
		start = time.Now()
		next, err := mutex.NewRedis(b, "job").Lock(t.Context())
		require.NoError(t, err)
		require.Less(t, time.Since(start), 6*time.Second)
		require.NoError(t, next.Release(t.Context()))
	})
}
