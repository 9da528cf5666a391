package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var contexts = []scenario{
	{name: "the context of a hold ends with the one it was made of", run: contextEndsWithItsParent},
	{name: "the context of a hold ends at release", run: contextEndsAtRelease},
	{name: "the context of a hold ends at loss", run: contextEndsAtLoss},
	{name: "the context of a level ends with that level", run: contextEndsWithItsLevel},
	{name: "the end of Lock's context is not the end of the hold", run: lockContextIsNotTheHold},
}

type key struct{}

func contextEndsWithItsParent(c *trial) {
	h := c.lock(0)
	parent, cancel := context.WithCancelCause(context.WithValue(c.ctx(), key{}, "kept"))
	ctx := h.Context(parent)
	require.Equal(c, "kept", ctx.Value(key{}))
	require.NoError(c, ctx.Err())
	cancel(errEnough)
	c.closed(ctx.Done(), "the context of a hold")
	require.ErrorIs(c, context.Cause(ctx), errEnough)
	require.NoError(c, h.Err())
	c.open(h.Done(), "the hold")

	deadline, stop := context.WithTimeout(c.ctx(), 20*time.Millisecond)
	defer stop()
	ctx = h.Context(deadline)
	c.closed(ctx.Done(), "the context of a hold")
	require.ErrorIs(c, ctx.Err(), context.DeadlineExceeded)
	require.NoError(c, h.Context(c.ctx()).Err())
	c.release(h)
}

func contextEndsAtRelease(c *trial) {
	h := c.lock(0)
	ctxs := []context.Context{h.Context(c.ctx()), h.Context(c.ctx())}
	c.open(h.Done(), "a hold that is held")
	c.release(h)
	ctxs = append(ctxs, h.Context(c.ctx()))
	for _, ctx := range ctxs {
		require.ErrorIs(c, ctx.Err(), context.Canceled)
		c.is(context.Cause(ctx), recipes.ErrNotHeld)
		require.NotErrorIs(c, context.Cause(ctx), recipes.ErrLost)
	}
	c.closed(h.Done(), "a released hold")
	c.is(h.Err(), recipes.ErrNotHeld)
	require.NotErrorIs(c, h.Err(), recipes.ErrLost)
}

func contextEndsAtLoss(c *trial) {
	h := c.lock(0, recipes.WithLease(500*time.Millisecond))
	ctx := h.Context(c.ctx())
	c.closed(ctx.Done(), "the context of a leased hold")
	c.lost(context.Cause(ctx), recipes.ReasonLeaseOver)
	c.lost(h.Err(), recipes.ReasonLeaseOver)
	c.closed(h.Done(), "a leased hold")
	c.lost(context.Cause(h.Context(c.ctx())), recipes.ReasonLeaseOver)
	c.lost(h.Release(c.ctx()), recipes.ReasonLeaseOver)
}

func contextEndsWithItsLevel(c *trial) {
	outer := c.lock(0)
	ctx := outer.Context(c.ctx())
	inner := c.lockWith(ctx, 0)
	below := inner.Context(ctx)
	c.release(inner)
	require.Error(c, below.Err())
	require.NoError(c, ctx.Err())

	inner = c.lockWith(ctx, 0)
	below = inner.Context(context.WithoutCancel(ctx))
	c.release(outer)
	require.Error(c, ctx.Err())
	require.NoError(c, below.Err(), "the inner level is still held")
	c.release(inner)
	require.Error(c, below.Err())
}

func lockContextIsNotTheHold(c *trial) {
	ctx, cancel := context.WithCancel(c.ctx())
	h := c.lockWith(ctx, 0)
	cancel()
	c.refused(1)
	require.NoError(c, h.Err())
	require.NoError(c, h.Context(c.ctx()).Err())
	c.release(h)
}
