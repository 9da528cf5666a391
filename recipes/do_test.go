package recipes_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var errWork = errors.New("the work failed")

// afterLoss runs f in Do after the hold was lost.
func afterLoss(t *testing.T, f func(ctx context.Context, h *recipes.Hold) error) error {
	t.Helper()
	l := recipes.NewLocal("orders")
	return recipes.Do(t.Context(), l, func(ctx context.Context, h *recipes.Hold) error {
		<-ctx.Done()
		return f(ctx, h)
	}, recipes.WithLease(time.Second))
}

func TestDoJoinsALossToTheErrorOfTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := afterLoss(t, func(context.Context, *recipes.Hold) error { return errWork })
		require.ErrorIs(t, err, errWork)
		require.ErrorIs(t, err, recipes.ErrLost)

		err = afterLoss(t, func(context.Context, *recipes.Hold) error { return nil })
		require.ErrorIs(t, err, recipes.ErrLost, "nil would say that the lock was held for all of it")
		time.Sleep(2 * time.Second)
	})
}

func TestDoSaysALossOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, f := range []func(context.Context, *recipes.Hold) error{
			func(_ context.Context, h *recipes.Hold) error { return h.Err() },
			func(ctx context.Context, _ *recipes.Hold) error { return context.Cause(ctx) },
		} {
			err := afterLoss(t, f)
			require.ErrorIs(t, err, recipes.ErrLost)
			require.Equal(t, 1, strings.Count(err.Error(), "lost"), "%v", err)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestDoMindsAReleaseInsideOfTheWork(t *testing.T) {
	l := recipes.NewLocal("orders")
	err := recipes.Do(t.Context(), l, func(ctx context.Context, h *recipes.Hold) error { return h.Release(ctx) })
	require.ErrorIs(t, err, recipes.ErrNotHeld, "the lock was not held for all of it")
}

func TestDoHandsItsOptionsOn(t *testing.T) {
	l := recipes.NewLocal("orders")
	h, err := l.Lock(t.Context())
	require.NoError(t, err)
	never := func(context.Context, *recipes.Hold) error { panic("it runs without the lock") }
	require.ErrorIs(t, recipes.Do(t.Context(), l, never, recipes.WithWait(0)), recipes.ErrNotAcquired)
	require.ErrorIs(t, recipes.Do(t.Context(), l, never, recipes.WithLease(0)), recipes.ErrInvalid)
	require.NoError(t, h.Release(t.Context()))
}
