package conformance

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var extending = []scenario{
	{name: "a lease can be made longer", run: extendLonger},
	{name: "a lease can be made shorter", run: extendShorter},
	{name: "extending by nothing gives the first lease anew", run: extendAnew},
	{name: "only a leased hold can be given a lease", run: extendNeedsALease},
	{name: "what is over cannot be extended", run: extendAfterTheEnd},
	{name: "a leased level can be extended alone", run: extendALevel},
}

func extendLonger(c *trial) {
	h := c.lock(0, recipes.WithLease(500*time.Millisecond))
	require.NoError(c, h.Extend(c.ctx(), time.Minute))
	require.WithinRange(c, h.ValidUntil(), time.Now().Add(30*time.Second), time.Now().Add(time.Minute))
	<-time.After(700 * time.Millisecond)
	require.NoError(c, h.Err())
	c.refused(1)
	c.release(h)
	c.free(1)
}

func extendShorter(c *trial) {
	h := c.lock(0, recipes.WithLease(time.Minute))
	require.NoError(c, h.Extend(c.ctx(), 400*time.Millisecond))
	require.False(c, h.ValidUntil().After(time.Now().Add(400*time.Millisecond)))
	c.freeSoon(1, patience/2)
	c.lost(h.Err(), recipes.ReasonLeaseOver)
	c.lost(h.Release(c.ctx()), recipes.ReasonLeaseOver)
}

func extendAnew(c *trial) {
	h := c.lock(0, recipes.WithLease(time.Minute))
	before := h.ValidUntil()
	<-time.After(50 * time.Millisecond)
	require.NoError(c, h.Extend(c.ctx(), 0))
	require.True(c, h.ValidUntil().After(before.Add(25*time.Millisecond)))
	require.False(c, h.ValidUntil().After(time.Now().Add(time.Minute)))

	require.NoError(c, h.Extend(c.ctx(), 10*time.Second))
	require.NoError(c, h.Extend(c.ctx(), 0))
	require.True(c, h.ValidUntil().After(time.Now().Add(30*time.Second)), "0 is the lease it was made with")
	c.release(h)
}

func extendNeedsALease(c *trial) {
	for _, opts := range [][]recipes.LockOption{nil, {recipes.WithMaxHold(time.Minute)}} {
		h := c.lock(0, opts...)
		c.is(h.Extend(c.ctx(), time.Second), recipes.ErrInvalid)
		require.NoError(c, h.Err())
		require.NoError(c, h.Extend(c.ctx(), 0))
		c.release(h)
	}
	h := c.lock(0, recipes.WithLease(time.Minute))
	for _, d := range badLeases {
		if d != 0 {
			c.is(h.Extend(c.ctx(), d), recipes.ErrInvalid)
		}
	}
	require.NoError(c, h.Err())
	c.release(h)
}

func extendAfterTheEnd(c *trial) {
	h := c.lock(0, recipes.WithLease(500*time.Millisecond))
	c.closed(h.Done(), "a leased hold")
	c.lost(h.Extend(c.ctx(), time.Minute), recipes.ReasonLeaseOver)
	c.lost(h.Extend(c.ctx(), 0), recipes.ReasonLeaseOver)
	c.freeSoon(1, patience/2)

	h = c.lock(0, recipes.WithLease(time.Minute))
	c.release(h)
	c.is(h.Extend(c.ctx(), time.Minute), recipes.ErrNotHeld)
	c.is(h.Extend(c.ctx(), 0), recipes.ErrNotHeld)
	c.free(1)
}

func extendALevel(c *trial) {
	outer := c.lock(0, recipes.WithLease(time.Minute))
	inner := c.lockWith(outer.Context(c.ctx()), 0, recipes.WithLease(500*time.Millisecond))
	until := outer.ValidUntil()
	require.NoError(c, inner.Extend(c.ctx(), 30*time.Second))
	require.True(c, inner.ValidUntil().After(time.Now().Add(20*time.Second)))
	require.False(c, outer.ValidUntil().Before(until.Add(-10*time.Millisecond)))

	require.NoError(c, inner.Extend(c.ctx(), time.Second))
	c.closed(inner.Done(), "a level with a short lease")
	c.lost(inner.Err(), recipes.ReasonLeaseOver)
	require.NoError(c, outer.Err())
	c.refused(1)
	c.release(outer)
}
