package conformance

import (
	"time"

	"github.com/stretchr/testify/require"
)

var signals = []scenario{
	{name: "a waiter gets in soon after a release", run: wokenSoon},
	{name: "where nobody waits nobody listens", needs: aStore, run: nobodyWaitsNobodyListens},
}

// wokenSoon is about sums, so that one slow moment of the machine is no
// failure: without signals each of these waits would last a second.
func wokenSoon(c *trial) {
	const rounds = 8
	var waited time.Duration
	for i := range rounds {
		h := c.lock(i % 2)
		out := c.waiting(c.ctx(), i+1, (i+1)%2)
		start := time.Now()
		c.release(h)
		other := c.granted(out)
		waited += time.Since(start)
		c.release(other)
	}
	require.Less(c, waited, rounds*time.Second/2)
}

func nobodyWaitsNobodyListens(c *trial) {
	h := c.lock(0)
	out := c.waiting(c.ctx(), 1, 1)
	c.release(h)
	c.release(c.granted(out))
	c.nobodyListens("nobody waits, and somebody listens")
}
