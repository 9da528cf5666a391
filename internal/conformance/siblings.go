package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var siblings = []scenario{
	{name: "two locks with one context exclude each other, and the wait says so", run: siblingsExclude},
	{name: "a sibling waits for all that is below the other", run: siblingWaitsForTheTree},
	{name: "siblings get in one by one", run: siblingsCount},
	{name: "a sibling whose parent is released is not held", run: parentReleasedFirst},
	{name: "a sibling whose parent is lost is told", run: parentLostFirst},
	{name: "a cancelled sibling leaves the others their turn", run: cancelledSibling},
}

const behindASibling = "behind a level taken with the same context"

func siblingsExclude(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	one := c.lockWith(ctx, 0)

	_, err := c.locker(0).TryLock(ctx)
	c.is(err, recipes.ErrNotAcquired)
	require.ErrorContains(c, err, behindASibling)
	_, err = c.locker(0).Lock(ctx, recipes.WithWait(50*time.Millisecond))
	c.is(err, recipes.ErrNotAcquired)
	require.ErrorContains(c, err, behindASibling)

	out := c.start(ctx, 0)
	c.stillWaiting(out)
	c.release(one)
	two := c.granted(out)
	require.Equal(c, 2, two.Count())
	c.release(two)
	c.release(h)
}

func siblingWaitsForTheTree(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	child := c.lockWith(ctx, 0)
	grandchild := c.lockWith(child.Context(c.ctx()), 0)
	require.Equal(c, 3, grandchild.Count())
	out := c.start(ctx, 0)
	c.release(child)
	c.stillWaiting(out)
	c.release(grandchild)
	c.release(c.granted(out))
	c.release(h)
	c.free(1)
}

func siblingsCount(c *trial) {
	const workers, rounds = 6, 3
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	var r register
	var g errgroup.Group
	for range workers {
		g.Go(func() error {
			for range rounds {
				err := recipes.Do(ctx, c.locker(0), func(context.Context, *recipes.Hold) error { return r.add() })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(c, g.Wait())
	require.EqualValues(c, workers*rounds, r.value.Load())
	c.refused(1)
	c.release(h)
	c.free(1)
}

// parentReleasedFirst: the level that is in the way may outlive the parent, the
// waiter may not; with a context that ends with the parent, and with one that
// does not.
func parentReleasedFirst(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	child := c.lockWith(ctx, 0)
	bound := c.waiting(ctx, 1, 0)
	loose := c.waiting(context.WithoutCancel(ctx), 2, 0)
	c.release(h)
	c.is(c.failed(bound), recipes.ErrNotHeld)
	c.is(c.failed(loose), recipes.ErrNotHeld)
	require.NoError(c, child.Err())
	c.refused(1)
	c.release(child)
	c.free(1)
}

func parentLostFirst(c *trial) {
	h := c.lock(0, recipes.WithLease(700*time.Millisecond))
	ctx := context.WithoutCancel(h.Context(c.ctx()))
	child := c.lockWith(ctx, 0)
	out := c.waiting(ctx, 1, 0)
	c.lost(c.failed(out), recipes.ReasonLeaseOver)
	c.closed(child.Done(), "a level of a lost hold")
	c.lost(child.Err(), recipes.ReasonLeaseOver)
	c.freeSoon(1, patience/2)
}

func cancelledSibling(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	child := c.lockWith(ctx, 0)
	leaving, cancel := context.WithCancelCause(ctx)
	first := c.waiting(leaving, 1, 0)
	second := c.waiting(ctx, 2, 0)
	cancel(errEnough)
	c.is(c.failed(first), recipes.ErrNotAcquired, context.Canceled, errEnough)
	c.release(child)
	c.release(c.granted(second))
	c.release(h)
	c.free(1)
}
