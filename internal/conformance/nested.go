package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var nested = []scenario{
	{name: "a lease on a level bounds that level only", run: nestedLeaseBoundsItself},
	{name: "a maximum hold on a level bounds that level only", run: nestedMaxHoldBoundsItself},
	{name: "a level ends with the lease of the outermost", run: levelEndsWithTheOutermost},
	{name: "the last level's lease frees the lock", run: lastLevelsLease},
	{name: "a level that ends frees its sibling's turn", run: endedLevelFreesItsSibling},
}

func nestedLeaseBoundsItself(c *trial) {
	c.boundsItself(recipes.WithLease(500 * time.Millisecond))
}

func nestedMaxHoldBoundsItself(c *trial) {
	c.boundsItself(recipes.WithMaxHold(500 * time.Millisecond))
}

func (c *trial) boundsItself(bound recipes.LockOption) {
	outer := c.lock(0, recipes.WithLease(time.Minute))
	until := outer.ValidUntil()
	inner := c.lockWith(outer.Context(c.ctx()), 0, bound)
	require.True(c, inner.ValidUntil().Before(until))
	ctx := inner.Context(c.ctx())
	c.closed(inner.Done(), "a bounded level")
	c.lost(inner.Err(), recipes.ReasonLeaseOver)
	c.lost(context.Cause(ctx), recipes.ReasonLeaseOver)

	require.NoError(c, outer.Err())
	require.False(c, outer.ValidUntil().Before(until.Add(-10*time.Millisecond)), "the outer hold was cut")
	if !c.Sessions {
		require.False(c, outer.ValidUntil().After(until.Add(10*time.Millisecond)), "the outer lease was renewed")
	}
	c.refused(1)
	c.lost(inner.Release(c.ctx()), recipes.ReasonLeaseOver)
	require.NoError(c, outer.Err())
	require.NoError(c, outer.Extend(c.ctx(), 0), "the store has not forgotten it")
	c.refused(1)
	c.release(outer)
	c.freeSoon(1, patience/4)
}

func levelEndsWithTheOutermost(c *trial) {
	outer := c.lock(0, recipes.WithLease(500*time.Millisecond))
	inner := c.lockWith(outer.Context(c.ctx()), 0, recipes.WithLease(time.Minute))
	require.False(c, inner.ValidUntil().After(outer.ValidUntil().Add(10*time.Millisecond)))
	c.closed(inner.Done(), "a level of a leased hold")
	c.lost(inner.Err(), recipes.ReasonLeaseOver)
	c.lost(outer.Err(), recipes.ReasonLeaseOver)
	c.freeSoon(1, patience/2)
	c.lost(inner.Release(c.ctx()), recipes.ReasonLeaseOver)
	c.lost(outer.Release(c.ctx()), recipes.ReasonLeaseOver)
}

// lastLevelsLease: nothing but that level holds the lock, and its user lets it
// run out.
func lastLevelsLease(c *trial) {
	outer := c.lock(0)
	inner := c.lockWith(outer.Context(c.ctx()), 0, recipes.WithLease(700*time.Millisecond))
	c.release(outer)
	require.NoError(c, inner.Err())
	c.freeSoon(1, patience/2)
	c.lost(inner.Err(), recipes.ReasonLeaseOver)
	c.freeSoon(0, patience/4)
}

func endedLevelFreesItsSibling(c *trial) {
	outer := c.lock(0)
	ctx := outer.Context(c.ctx())
	inner := c.lockWith(ctx, 0, recipes.WithLease(700*time.Millisecond))
	next := c.granted(c.start(ctx, 0))
	c.lost(inner.Err(), recipes.ReasonLeaseOver)
	c.release(next)
	c.release(outer)
	c.freeSoon(1, patience/4)
}
