package conformance

import (
	"time"

	"github.com/stretchr/testify/require"
)

var watchdog = []scenario{
	{name: "the watchdog keeps a hold for many leases", lease: Short, needs: aStore, run: watchdogKeepsHold},
	{name: "the watchdog keeps many holds at once", lease: Short, needs: aStore, run: watchdogKeepsMany},
	{name: "a dead holder's lease frees the lock", lease: Short, needs: aStore, run: deadHolderLapses},
}

func watchdogKeepsHold(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	first := h.ValidUntil()
	require.False(c, first.After(time.Now().Add(c.lease)))
	c.during(7*c.lease/2, func() {
		require.NoError(c, h.Err())
		c.refused(1)
	})
	require.NoError(c, ctx.Err())
	require.True(c, h.ValidUntil().After(first.Add(2*c.lease)))
	c.release(h)
	c.free(1)
}

func watchdogKeepsMany(c *trial) {
	outer := c.lock(0)
	names := []string{"a", "b", "c", "d", "e", "{f}", "g"}
	for _, of := range names {
		h, err := c.other(0, of).Lock(outer.Context(c.ctx()))
		require.NoError(c, err)
		defer func() {
			require.NoError(c, h.Err())
			c.release(h)
		}()
	}
	c.during(2*c.lease, func() {
		require.NoError(c, outer.Err())
		for _, of := range names {
			h, err := c.other(1, of).TryLock(c.ctx())
			require.Nil(c, h, "%q is free", of)
			require.Error(c, err)
		}
	})
	c.release(outer)
}

// deadHolderLapses: a client that is closed in a hurry renews nothing any more,
// like one that has died.
func deadHolderLapses(c *trial) {
	h := c.lock(0)
	c.kill(0)
	start := time.Now()
	c.freeSoon(1, patience/2)
	require.Greater(c, time.Since(start), c.lease/4, "its work may be running: the key lapses, it is not taken")
	require.Error(c, h.Err())
}
