package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var cancelling = []scenario{
	{name: "a cancelled wait says why", run: cancelledWaitSaysWhy},
	{name: "a wait beyond its deadline says so", run: waitBeyondDeadline},
	{name: "a context that has ended gets nothing", run: endedContextGetsNothing},
	{name: "a cancelled waiter passes its turn on", run: cancelledWaiterPassesOn},
	{name: "locks cancelled at any moment let one in at a time", run: cancelledLetOneIn},
	{name: "a lock cancelled at any moment leaves no trace", run: cancelledLeavesNoTrace},
}

var errEnough = errors.New("the user has had enough")

func cancelledWaitSaysWhy(c *trial) {
	h := c.lock(0)
	for client := range 2 {
		ctx, cancel := context.WithCancelCause(c.ctx())
		out := c.waiting(ctx, client+1, client)
		cancel(errEnough)
		c.is(c.failed(out), recipes.ErrNotAcquired, context.Canceled, errEnough)
	}
	c.release(h)
	c.free(1)
}

func waitBeyondDeadline(c *trial) {
	h := c.lock(0)
	for client := range 2 {
		ctx, cancel := context.WithTimeout(c.ctx(), 100*time.Millisecond)
		_, err := c.locker(client).Lock(ctx)
		cancel()
		c.is(err, recipes.ErrNotAcquired, context.DeadlineExceeded)
	}
	c.release(h)
}

func endedContextGetsNothing(c *trial) {
	ctx, cancel := context.WithCancelCause(c.ctx())
	cancel(errEnough)
	l := c.locker(0)
	for _, lock := range []func(context.Context, ...recipes.LockOption) (*recipes.Hold, error){l.Lock, l.TryLock} {
		h, err := lock(ctx)
		require.Nil(c, h)
		c.is(err, recipes.ErrNotAcquired, context.Canceled, errEnough)
	}
	c.free(1)
}

func cancelledWaiterPassesOn(c *trial) {
	for client := range 2 {
		h := c.lock(0)
		ctx, cancel := context.WithCancel(c.ctx())
		first := c.waiting(ctx, 2*client+1, client)
		second := c.waiting(c.ctx(), 2*client+2, client)
		cancel()
		c.is(c.failed(first), recipes.ErrNotAcquired)
		c.stillWaiting(second)
		c.release(h)
		c.release(c.granted(second))
	}
}

// cancelledLeavesNoTrace cancels at moments spread over the life of a request,
// against a free lock and a held one, at the holder's client and at another.
func cancelledLeavesNoTrace(c *trial) {
	for i := range 60 {
		var h *recipes.Hold
		if i%2 == 0 {
			h = c.lock(0)
		}
		ctx, cancel := context.WithCancelCause(c.ctx())
		out := c.start(ctx, i%3)
		<-time.After(time.Duration(rand.Int64N(int64(4*time.Millisecond))) >> rand.IntN(7))
		cancel(errEnough)
		if h != nil {
			c.release(h)
		}
		if o := c.ended(out); o.err != nil {
			require.Nil(c, o.hold)
			c.is(o.err, recipes.ErrNotAcquired, context.Canceled, errEnough)
		} else {
			c.release(o.hold)
		}
		c.freeSoon((i+1)%3, patience/4)
	}
}

// cancelledLetOneIn is a crowd at all clients in which many give up.
func cancelledLetOneIn(c *trial) {
	const workers, rounds = 3, 12
	var r register
	var g errgroup.Group
	all := c.ctx()
	var got atomic.Int64
	for client := range Clients {
		for range workers {
			g.Go(func() error {
				for range rounds {
					most := time.Duration(rand.Int64N(int64(40*time.Millisecond))) >> rand.IntN(5)
					ctx, cancel := context.WithTimeout(all, most)
					h, err := c.locker(client).Lock(ctx)
					cancel()
					switch {
					case err == nil:
						got.Add(1)
						err = errors.Join(r.add(), h.Err(), h.Release(all))
					case errors.Is(err, recipes.ErrNotAcquired):
						err = nil
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	require.NoError(c, g.Wait())
	require.Equal(c, got.Load(), r.value.Load())
	c.freeSoon(0, patience/4)
}
