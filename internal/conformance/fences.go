package conformance

import (
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var fences = []scenario{
	{name: "a fence grows with every grant, whoever gets it", run: fencesGrow},
	{name: "all levels of a hold have one fence", run: levelsShareAFence},
	{name: "a fence grows from waiter to waiter", run: fencesGrowInLine},
}

// fence is the token of a hold, 0 where the subject has none.
func (c *trial) fence(h *recipes.Hold) int64 {
	c.Helper()
	token, ok := h.Fence()
	require.Equal(c, c.Fences, ok)
	if ok {
		require.Positive(c, token)
	}
	return token
}

// grew: the token is above the last where the subject has tokens.
func (c *trial) grew(last *int64, h *recipes.Hold) {
	c.Helper()
	if token := c.fence(h); c.Fences {
		require.Greater(c, token, *last)
		*last = token
	}
}

func fencesGrow(c *trial) {
	var last int64
	for i := range 9 {
		h := c.lock(i % Clients)
		c.grew(&last, h)
		c.release(h)
	}
}

func levelsShareAFence(c *trial) {
	levels := c.three()
	for _, h := range levels {
		require.Equal(c, c.fence(levels[0]), c.fence(h))
	}
	last := c.fence(levels[0])
	for _, h := range levels {
		c.release(h)
	}
	h := c.lock(0)
	c.grew(&last, h)
	c.release(h)
}

func fencesGrowInLine(c *trial) {
	h := c.lock(0)
	last := c.fence(h)
	var outs []<-chan outcome
	for i := range 4 {
		outs = append(outs, c.waiting(c.ctx(), i+1, 0))
	}
	c.release(h)
	for _, out := range outs {
		h := c.granted(out)
		c.grew(&last, h)
		c.release(h)
	}
}
