package conformance

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var leases = []scenario{
	{name: "a lease ends the hold before another gets in", run: leaseEnds},
	{name: "a lease keeps others out until it ends", run: leaseKeepsOthersOut},
	{name: "a maximum hold is renewed until it ends", lease: Short, run: maxHoldEnds},
	{name: "a maximum hold below the lease ends too", run: shortMaxHoldEnds},
	{name: "a released lease ends nothing later", run: releasedLeaseIsOver},
}

func leaseEnds(c *trial) {
	const lease = 400 * time.Millisecond
	for client := range 2 {
		h := c.lock(0, recipes.WithLease(lease))
		require.WithinRange(c, h.ValidUntil(), time.Now().Add(-patience), time.Now().Add(lease))
		out := c.start(c.ctx(), client)
		other := c.granted(out)
		c.lost(h.Err(), recipes.ReasonLeaseOver)
		c.closed(h.Done(), "a leased hold")
		c.lost(h.Release(c.ctx()), recipes.ReasonLeaseOver)
		c.is(h.Release(c.ctx()), recipes.ErrNotHeld)
		require.NoError(c, other.Err(), "the late release is nothing to the next holder")
		c.refused(2)
		c.release(other)
	}
}

func leaseKeepsOthersOut(c *trial) {
	const lease = 600 * time.Millisecond
	start := time.Now()
	h := c.lock(0, recipes.WithLease(lease))
	c.during(lease/2, func() {
		if time.Since(start) < lease*3/4 { // else the machine was elsewhere
			require.NoError(c, h.Err())
		}
	})
	other := c.lock(1)
	require.GreaterOrEqual(c, time.Since(start), lease*9/10)
	c.lost(h.Err(), recipes.ReasonLeaseOver)
	c.release(other)
}

func maxHoldEnds(c *trial) {
	const most = 5 * Short / 2
	start := time.Now()
	h := c.lock(0, recipes.WithMaxHold(most))
	ctx := h.Context(c.ctx())
	require.False(c, h.ValidUntil().After(time.Now().Add(most)))
	other := c.granted(c.start(c.ctx(), 1))
	require.Greater(c, time.Since(start), most*3/4, "it was not renewed")
	c.lost(h.Err(), recipes.ReasonLeaseOver)
	c.closed(ctx.Done(), "the context of a bounded hold")
	c.lost(h.Release(c.ctx()), recipes.ReasonLeaseOver)
	c.release(other)
}

func shortMaxHoldEnds(c *trial) {
	h := c.lock(0, recipes.WithMaxHold(time.Second))
	c.closed(h.Done(), "a bounded hold")
	c.lost(h.Err(), recipes.ReasonLeaseOver)
	c.freeSoon(1, patience/2)
}

func releasedLeaseIsOver(c *trial) {
	h := c.lock(0, recipes.WithLease(500*time.Millisecond))
	c.release(h)
	other := c.lock(0)
	<-time.After(600 * time.Millisecond)
	require.NoError(c, other.Err())
	c.refused(1)
	c.release(other)
	require.NotErrorIs(c, h.Err(), recipes.ErrLost)
}
