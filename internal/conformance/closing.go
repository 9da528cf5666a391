package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var closing = []scenario{
	{name: "a closed client locks nothing", needs: aStore, run: closedClientLocksNothing},
	{name: "closing sends the waiters away", needs: aStore, run: closingSendsWaitersAway},
	{name: "closing ends contexts, and waits for the holds", lease: Short, needs: aStore, run: closingWaitsForHolds},
	{name: "closing in a hurry abandons holds to their lease", lease: Short, needs: aStore, run: closingAbandons},
	{name: "closing in a hurry is not undone by a patient close", lease: Short, needs: aStore, run: closingTwice},
	{name: "closing while locks are asked for leaves nothing", needs: aStore, run: closingLeavesNothing},
	{name: "the last waiter of a closing client passes its turn on", needs: aStore, run: closingPassesOn},
}

// kill closes a client without patience.
func (c *trial) kill(client int) {
	c.Helper()
	ctx, cancel := context.WithCancelCause(c.ctx())
	cancel(errEnough)
	err := c.store.Close(ctx, client)
	require.ErrorIs(c, err, context.Canceled)
	require.ErrorIs(c, err, errEnough)
}

func closedClientLocksNothing(c *trial) {
	c.free(0)
	for range 2 { // a second Close is as good as the first
		require.NoError(c, c.store.Close(c.ctx(), 0))
		_, err := c.locker(0).Lock(c.ctx())
		c.is(err, recipes.ErrClosed)
		_, err = c.locker(0).TryLock(c.ctx())
		c.is(err, recipes.ErrClosed)
	}
	c.free(1)
}

func closingSendsWaitersAway(c *trial) {
	h := c.lock(1)
	one := c.waiting(c.ctx(), 1, 0)
	two := c.waiting(c.ctx(), 2, 0)
	require.NoError(c, c.store.Close(c.ctx(), 0))
	c.is(c.failed(one), recipes.ErrClosed)
	c.is(c.failed(two), recipes.ErrClosed)
	require.NoError(c, h.Err())
	c.release(h)
	c.free(2)
}

func closingWaitsForHolds(c *trial) {
	h := c.lock(0)
	inner := c.lockWith(h.Context(c.ctx()), 0)
	ctx := inner.Context(c.ctx())
	sibling := c.waiting(h.Context(c.ctx()), 1, 0)
	done := make(chan error, 1)
	go func() { done <- c.store.Close(c.ctx(), 0) }()
	c.closed(ctx.Done(), "the context of a hold of a closing client")
	c.is(context.Cause(ctx), recipes.ErrClosed)
	c.is(context.Cause(h.Context(c.ctx())), recipes.ErrClosed)
	c.is(c.failed(sibling), recipes.ErrClosed)

	c.during(2*c.lease, func() {
		require.NoError(c, h.Err(), "still held, and renewed")
		c.refused(1)
		require.Empty(c, done, "Close does not wait")
	})
	c.release(inner)
	c.release(h)
	require.NoError(c, <-done)
	c.free(1)
}

func closingAbandons(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	c.kill(0)
	c.closed(ctx.Done(), "the context of an abandoned hold")
	c.is(context.Cause(ctx), recipes.ErrClosed)
	c.lost(h.Err(), recipes.ReasonClosed)
	c.closed(h.Done(), "an abandoned hold")
	start := time.Now()
	c.freeSoon(1, patience/2)
	require.Less(c, time.Since(start), patience/2)
	c.lost(h.Release(c.ctx()), recipes.ReasonClosed)
	require.NoError(c, c.store.Close(c.ctx(), 0), "nothing is left to wait for")
}

// closingTwice: one Close waits for the hold, the other does not. The work may be
// running, so the hold lapses whatever the first one makes of its end.
func closingTwice(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	patient := make(chan error, 1)
	go func() { patient <- c.store.Close(c.ctx(), 0) }()
	c.closed(ctx.Done(), "the context of a hold of a closing client")
	require.NoError(c, h.Err())
	start := time.Now()
	c.kill(0)
	c.lost(h.Err(), recipes.ReasonClosed)
	require.NoError(c, <-patient, "nothing is left to wait for")
	c.freeSoon(1, patience/2)
	require.Greater(c, time.Since(start), c.lease/4, "it was taken from under its work")
}

func closingPassesOn(c *trial) {
	h := c.lock(1)
	one := c.waiting(c.ctx(), 1, 0)
	two := c.waiting(c.ctx(), 2, 1)
	require.NoError(c, c.store.Close(c.ctx(), 0))
	c.is(c.failed(one), recipes.ErrClosed)
	c.release(h)
	c.release(c.granted(two))
}

// closingLeavesNothing: requests are under way when Close begins. What they may
// have got is gone when it returns, since nobody could take it back later.
func closingLeavesNothing(c *trial) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	for client := range 2 {
		c.free(client) // connected
		var g errgroup.Group
		for _, of := range names {
			g.Go(func() error {
				h, err := c.other(client, of).Lock(c.ctx())
				if errors.Is(err, recipes.ErrClosed) {
					return nil
				}
				if err != nil {
					return err
				}
				return h.Release(c.ctx())
			})
		}
		<-time.After(time.Duration(rand.Int64N(int64(4*time.Millisecond))) >> rand.IntN(7))
		require.NoError(c, c.store.Close(c.ctx(), client))
		require.NoError(c, g.Wait())
		for _, of := range names {
			h, err := c.other(2, of).TryLock(c.ctx())
			require.NoError(c, err, "%q is not free", of)
			c.release(h)
		}
	}
}
