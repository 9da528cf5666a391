package conformance

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var inspecting = []scenario{
	{name: "an inspection shows the holder", needs: aStore, run: inspectShowsTheHolder},
	{name: "an inspection shows the line in its order", needs: aQueue, run: inspectShowsTheLine},
	{name: "a forced release frees the lock and is noticed", lease: Short, needs: aStore, run: forcedRelease},
	{name: "a forced release lets a waiter in", needs: aStore, run: forcedReleaseWakes},
	{name: "a forced release of a stranger takes nothing", needs: aStore, run: forcedReleaseOfAStranger},
	{name: "a forced release raises the fence", needs: aStore, run: forcedReleaseRaisesTheFence},
}

func (c *trial) inspector(client int) recipes.Inspector {
	c.Helper()
	i, ok := c.locker(client).(recipes.Inspector)
	require.True(c, ok, "the lock is no recipes.Inspector")
	return i
}

// holder is the one holder that an inspection shows.
func (c *trial) holder(client int) recipes.Holder {
	c.Helper()
	s, err := c.inspector(client).Inspect(c.ctx())
	require.NoError(c, err)
	require.Equal(c, c.name("orders"), s.Name)
	require.Len(c, s.Holders, 1)
	return s.Holders[0]
}

func (c *trial) force(client int, owner string) error {
	return c.inspector(client).ForceRelease(c.ctx(), recipes.Holder{ID: owner})
}

func inspectShowsTheHolder(c *trial) {
	s, err := c.inspector(0).Inspect(c.ctx())
	require.NoError(c, err)
	require.Empty(c, s.Holders)
	require.Equal(c, 1, s.Limit)
	require.Equal(c, 1, s.Free)
	require.Equal(c, c.QueueStored, s.QueueStored)

	start := time.Now()
	h := c.lock(0, recipes.WithLease(time.Minute))
	for client := range Clients {
		seen := c.holder(client)
		require.Equal(c, h.Owner(), seen.ID)
		require.NotEmpty(c, seen.Kind)
		if c.Sessions {
			require.Zero(c, seen.Count)
			require.Zero(c, seen.TTL)
			require.WithinRange(c, seen.Since, start.Add(-time.Second), time.Now().Add(time.Second))
		} else {
			require.Equal(c, 1, seen.Count)
			require.Positive(c, seen.TTL)
			require.LessOrEqual(c, seen.TTL, time.Minute)
			require.Zero(c, seen.Since)
		}
		require.Equal(c, c.Fences, seen.HasFence)
		require.Equal(c, c.fence(h), seen.Fence)
	}
	require.NoError(c, h.Err())
	c.release(h)
	s, err = c.inspector(1).Inspect(c.ctx())
	require.NoError(c, err)
	require.Empty(c, s.Holders)
	require.Equal(c, 1, s.Free)
}

func inspectShowsTheLine(c *trial) {
	first := c.lock(0)
	var outs []<-chan outcome
	for i := range 2 * Clients {
		outs = append(outs, c.waiting(c.ctx(), i+1, i%Clients))
	}
	s, err := c.inspector(1).Inspect(c.ctx())
	require.NoError(c, err)
	require.Len(c, s.Holders, 1)
	require.Equal(c, first.Owner(), s.Holders[0].ID)
	require.Zero(c, s.Free)
	require.Len(c, s.Waiters, len(outs))
	since := s.Holders[0].Since
	for _, w := range s.Waiters {
		require.NotEmpty(c, w.Kind)
		require.False(c, w.Since.Before(since), "one in front has come later")
		since = w.Since
	}
	// Only a holder can be forced out.
	c.is(c.force(2, s.Waiters[0].ID), recipes.ErrNotHeld)
	c.release(first)
	for i, out := range outs {
		h := c.granted(out)
		require.Equal(c, s.Waiters[i].ID, h.Owner())
		c.release(h)
	}
}

func forcedRelease(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	require.NoError(c, c.force(1, h.Owner()))
	c.free(2)
	start := time.Now()
	c.closed(ctx.Done(), "the context of an evicted hold")
	require.Less(c, time.Since(start), patience/2)
	c.lost(h.Err(), recipes.ReasonTaken)
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
	c.is(c.force(1, h.Owner()), recipes.ErrNotHeld)
}

func forcedReleaseWakes(c *trial) {
	h := c.lock(0)
	out := c.waiting(c.ctx(), 1, 1)
	require.NoError(c, c.inspector(2).ForceRelease(c.ctx(), c.holder(2)))
	other := c.granted(out)
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
	require.NoError(c, other.Extend(c.ctx(), 0))
	c.release(other)
}

func forcedReleaseOfAStranger(c *trial) {
	c.is(c.force(0, "nobody:1"), recipes.ErrNotHeld)
	h := c.lock(0)
	c.is(c.force(1, "nobody:1"), recipes.ErrNotHeld)
	c.is(c.force(1, h.Owner()+"1"), recipes.ErrNotHeld)
	c.is(c.force(1, ""), recipes.ErrInvalid)
	require.NoError(c, h.Extend(c.ctx(), 0), "it is still held")
	c.refused(2)
	c.release(h)
}

func forcedReleaseRaisesTheFence(c *trial) {
	h := c.lock(0)
	evicted := c.fence(h)
	require.NoError(c, c.force(1, h.Owner()))
	next := c.lock(1)
	if c.Fences {
		require.Greater(c, c.fence(next), evicted+1, "one for the eviction, one for the grant")
	}
	c.release(next)
	c.lost(h.Release(c.ctx()), recipes.ReasonTaken)
}
