package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var losing = []scenario{
	{name: "a deleted lock is noticed by the next renewal", lease: Short, needs: aStore, run: deletionIsNoticed},
	{name: "a release that finds the lock gone says so", needs: aStore, run: releaseFindsItGone},
	{name: "extending a deleted lock says so", needs: aStore, run: extendFindsItGone},
}

func deletionIsNoticed(c *trial) {
	h := c.lock(0)
	inner := c.lockWith(h.Context(c.ctx()), 0)
	ctx := inner.Context(c.ctx())
	c.store.Delete(c.T, c.name("orders"))
	start := time.Now()
	c.closed(ctx.Done(), "the context of a lost hold")
	require.Less(c, time.Since(start), patience/2)
	c.lost(context.Cause(ctx), recipes.ReasonTaken)
	c.lost(h.Err(), recipes.ReasonTaken)
	c.lost(inner.Err(), recipes.ReasonTaken)
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
	c.lost(inner.Release(c.ctx()), recipes.ReasonTaken)
	c.is(h.Release(c.ctx()), recipes.ErrNotHeld)
	c.free(1)
}

func releaseFindsItGone(c *trial) {
	h := c.lock(0)
	c.store.Delete(c.T, c.name("orders"))
	other := c.lock(1)
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
	require.NoError(c, other.Extend(c.ctx(), 0), "the other's hold is untouched")
	c.refused(2)
	c.release(other)
}

func extendFindsItGone(c *trial) {
	h := c.lock(0, recipes.WithLease(time.Minute))
	c.store.Delete(c.T, c.name("orders"))
	other := c.lock(1)
	c.lost(h.Extend(c.ctx(), time.Minute), recipes.ReasonTaken)
	c.lost(h.Err(), recipes.ReasonTaken)
	c.closed(h.Done(), "a lost hold")
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
	require.NoError(c, other.Extend(c.ctx(), 0), "the other's hold is untouched")
	c.release(other)
}
