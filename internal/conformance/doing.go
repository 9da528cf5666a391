package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var doing = []scenario{
	{name: "Do holds the lock for all of f, and releases it", run: doHolds},
	{name: "Do returns what f returned", run: doReturns},
	{name: "Do reports a loss during f", run: doReportsLoss},
	{name: "Do releases when f panics", run: doReleasesAtPanic},
	{name: "Do does not run f without the lock", run: doNeedsTheLock},
	{name: "Do releases after its context has ended", run: doAfterCancel},
}

func doHolds(c *trial) {
	err := recipes.Do(c.ctx(), c.locker(0), func(ctx context.Context, h *recipes.Hold) error {
		c.refused(1)
		require.NoError(c, h.Err())
		return recipes.Do(ctx, c.locker(0), func(_ context.Context, deeper *recipes.Hold) error {
			require.Equal(c, 2, deeper.Count())
			return nil
		})
	})
	require.NoError(c, err)
	c.free(1)
}

func doReturns(c *trial) {
	err := recipes.Do(c.ctx(), c.locker(0), func(context.Context, *recipes.Hold) error { return errEnough })
	require.ErrorIs(c, err, errEnough)
	require.NotErrorIs(c, err, recipes.ErrNotHeld)
	c.free(1)
}

func doReportsLoss(c *trial) {
	for _, returned := range []error{nil, errEnough} {
		err := recipes.Do(c.ctx(), c.locker(0), func(ctx context.Context, h *recipes.Hold) error {
			c.closed(ctx.Done(), "the context of a leased hold")
			c.lost(context.Cause(ctx), recipes.ReasonLeaseOver)
			return returned
		}, recipes.WithLease(500*time.Millisecond))
		c.lost(err, recipes.ReasonLeaseOver)
		if returned != nil {
			require.ErrorIs(c, err, returned)
		}
		c.freeSoon(1, patience/2)
	}
}

func doReleasesAtPanic(c *trial) {
	require.PanicsWithValue(c, "oops", func() {
		_ = recipes.Do(c.ctx(), c.locker(0), func(context.Context, *recipes.Hold) error { panic("oops") })
	})
	c.free(1)
}

func doNeedsTheLock(c *trial) {
	h := c.lock(0)
	err := recipes.Do(c.ctx(), c.locker(1), func(context.Context, *recipes.Hold) error {
		require.FailNow(c, "f runs without the lock")
		return nil
	}, recipes.WithWait(0))
	c.is(err, recipes.ErrNotAcquired)
	c.release(h)
}

func doAfterCancel(c *trial) {
	ctx, cancel := context.WithCancel(c.ctx())
	err := recipes.Do(ctx, c.locker(0), func(ctx context.Context, _ *recipes.Hold) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	require.ErrorIs(c, err, context.Canceled)
	c.free(1)
}
