package recipes_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

func TestLocalHoldWithoutALeaseHasNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := recipes.NewLocal("orders")
		h, err := l.Lock(t.Context())
		require.NoError(t, err)
		require.True(t, h.ValidUntil().IsZero())
		time.Sleep(1000 * time.Hour)
		require.NoError(t, h.Err())
		require.Nil(t, h.Members())
		_, err = l.TryLock(t.Context())
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestLocalLeaseIsExact(t *testing.T) {
	for name, opt := range map[string]recipes.LockOption{
		"lease":        recipes.WithLease(time.Minute),
		"maximum hold": recipes.WithMaxHold(time.Minute),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := recipes.NewLocal("orders")
				start := time.Now()
				h, err := l.Lock(t.Context(), opt)
				require.NoError(t, err)
				require.WithinDuration(t, start.Add(time.Minute), h.ValidUntil(), 10*time.Millisecond)
				ctx := h.Context(t.Context())
				next, err := l.Lock(t.Context())
				require.NoError(t, err)
				require.InDelta(t, time.Minute, time.Since(start), float64(10*time.Millisecond))
				var lost *recipes.LostError
				require.ErrorAs(t, context.Cause(ctx), &lost)
				require.Equal(t, recipes.ReasonLeaseOver, lost.Reason)
				require.WithinDuration(t, time.Now(), lost.Since, 10*time.Millisecond)
				require.NoError(t, next.Release(t.Context()))
				time.Sleep(2 * time.Second) // what looks after leases goes
			})
		})
	}
}

// TestLocalRunsInABubble: a user's test of code that takes a Locker may run in
// virtual time, and need not wait for anything of ours at its end.
func TestLocalRunsInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := recipes.NewLocal("orders")
		for _, opts := range [][]recipes.LockOption{nil, {recipes.WithLease(time.Minute)}, {recipes.WithMaxHold(time.Minute)}} {
			h, err := l.Lock(t.Context(), opts...)
			require.NoError(t, err)
			require.NoError(t, h.Release(t.Context()))
		}
	})
}

func TestLocalsOfOneNameAreTwoLocks(t *testing.T) {
	one, two := recipes.NewLocal("orders"), recipes.NewLocal("orders")
	h, err := one.Lock(t.Context())
	require.NoError(t, err)
	other, err := two.TryLock(h.Context(t.Context()))
	require.NoError(t, err)
	require.Equal(t, 1, other.Count(), "a hold of one is nothing to the other")
	require.NoError(t, other.Release(t.Context()))
	require.NoError(t, h.Release(t.Context()))
}

func TestLocalTakesAnyName(t *testing.T) {
	for _, name := range []string{"", "a\x00b", "{", strings.Repeat("n", 5000)} {
		l := recipes.NewLocal(name)
		require.Equal(t, name, l.Name())
		h, err := l.Lock(t.Context())
		require.NoError(t, err)
		require.Equal(t, name, h.Name())
		require.NoError(t, h.Release(t.Context()))
	}
}

// TestLocalReleaseNeedsNoTime: there is no store to wait for.
func TestLocalReleaseNeedsNoTime(t *testing.T) {
	l := recipes.NewLocal("orders")
	for range 200 {
		h, err := l.Lock(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
	}
}

// TestLocalUnderLoad is about real time and real goroutines; the bubbles are
// about order.
func TestLocalUnderLoad(t *testing.T) {
	l := recipes.NewLocal("orders")
	const workers, rounds = 16, 200
	count := 0 // the race detector watches it
	last := int64(0)
	var g errgroup.Group
	for range workers {
		g.Go(func() error {
			for range rounds {
				err := recipes.Do(t.Context(), l, func(ctx context.Context, h *recipes.Hold) error {
					count++
					if fence, _ := h.Fence(); fence <= last {
						t.Errorf("fence %d after %d", fence, last)
					} else {
						last = fence
					}
					return recipes.Do(ctx, l, func(context.Context, *recipes.Hold) error { return nil })
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	require.Equal(t, workers*rounds, count)
}

// TestLocalIsFreeAfterAReleaseBesideACancelledReentry: two ends of one grant
// meet, and the line must count it once.
func TestLocalIsFreeAfterAReleaseBesideACancelledReentry(t *testing.T) {
	for range 3000 {
		l := recipes.NewLocal("orders")
		h, err := l.Lock(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.WithoutCancel(h.Context(t.Context())))
		var g errgroup.Group
		g.Go(func() error {
			deeper, err := l.Lock(ctx)
			if err == nil {
				return deeper.Release(ctx)
			}
			return nil
		})
		g.Go(func() error { cancel(); return nil })
		g.Go(func() error { return h.Release(t.Context()) })
		require.NoError(t, g.Wait())
		for range 2 { // one too many and the second is refused, or both are
			h, err := l.TryLock(t.Context())
			require.NoError(t, err)
			_, err = l.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			require.NoError(t, h.Release(t.Context()))
		}
	}
}
