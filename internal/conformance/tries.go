package conformance

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var tries = []scenario{
	{name: "a try is refused while another holds", run: tryIsRefused},
	{name: "a wait that is over is refused", run: waitIsOver},
	{name: "a wait of nothing asks once", run: waitOfNothing},
	{name: "a try does not wait", run: tryDoesNotWait},
	{name: "a bounded wait that is not over gets in", run: boundedWaitGetsIn},
}

func tryIsRefused(c *trial) {
	h := c.lock(0)
	for client := range Clients {
		c.refused(client)
	}
	c.release(h)
	for client := range Clients {
		c.free(client)
	}
}

func waitIsOver(c *trial) {
	const wait = time.Second
	h := c.lock(0)
	for client := range 2 {
		c.refused(client) // connected: else the wait may be over before the store has answered
		start := time.Now()
		_, err := c.locker(client).Lock(c.ctx(), recipes.WithWait(wait))
		c.is(err, recipes.ErrNotAcquired)
		require.NotErrorIs(c, err, context.DeadlineExceeded, "the caller's context has not ended")
		require.GreaterOrEqual(c, time.Since(start), wait)
		require.Less(c, time.Since(start), patience/2)
	}
	c.release(h)
	c.free(1)
}

func waitOfNothing(c *trial) {
	for _, d := range []time.Duration{0, -time.Second} {
		c.unused(0)
		free, err := c.locker(0).Lock(c.ctx(), recipes.WithWait(d))
		require.NoError(c, err)
		start := time.Now()
		_, err = c.locker(1).Lock(c.ctx(), recipes.WithWait(d))
		c.is(err, recipes.ErrNotAcquired)
		require.Less(c, time.Since(start), patience/2)
		c.release(free)
	}
}

func tryDoesNotWait(c *trial) {
	_, err := c.locker(0).TryLock(c.ctx(), recipes.WithWait(time.Second))
	c.is(err, recipes.ErrInvalid)
	h, err := c.locker(0).TryLock(c.ctx(), recipes.WithWait(0))
	require.NoError(c, err)
	_, err = c.locker(1).TryLock(c.ctx(), recipes.WithWait(-1))
	c.is(err, recipes.ErrNotAcquired)
	c.release(h)
}

func boundedWaitGetsIn(c *trial) {
	h := c.lock(0)
	out := c.waiting(c.ctx(), 1, 1, recipes.WithWait(patience/2))
	c.release(h)
	c.release(c.granted(out))
}
