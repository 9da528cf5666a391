package conformance

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var order = []scenario{
	{name: "whoever comes first gets in first, at whichever client", needs: anOrder, run: firstComeFirstServed},
	{name: "a waiter that leaves the middle lets nobody in early", needs: anOrder, run: leavingTheMiddle},
	{name: "a waiter that leaves as its turn comes passes it on in order", needs: anOrder, run: leavingAtOnesTurn},
	{name: "a try does not overtake the line", needs: aQueue, run: triesDoNotOvertake},
}

// oneByOne: the calls are granted in this order, each after the release of the
// one before.
func (c *trial) oneByOne(outs []<-chan outcome) {
	c.Helper()
	var last int64
	for i, out := range outs {
		h := c.granted(out)
		c.grew(&last, h)
		for _, later := range outs[i+1:] {
			require.Empty(c, later, "one that came later holds too")
		}
		c.release(h)
	}
}

func firstComeFirstServed(c *trial) {
	first := c.lock(0)
	var outs []<-chan outcome
	for i, client := range []int{0, 1, 2, 1, 1, 0, 0, 2, 0} {
		outs = append(outs, c.waiting(c.ctx(), i+1, client))
	}
	c.release(first)
	c.oneByOne(outs)
}

// lines are the clients of three waiters: neighbours of one client may know
// more of each other than those of two.
var lines = [][3]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 2}}

func leavingTheMiddle(c *trial) {
	for i, line := range lines {
		h := c.lock(0)
		ctx, cancel := context.WithCancelCause(c.ctx())
		front := c.waiting(c.ctx(), 3*i+1, line[0])
		middle := c.waiting(ctx, 3*i+2, line[1])
		back := c.waiting(c.ctx(), 3*i+3, line[2])
		cancel(errEnough)
		c.is(c.failed(middle), recipes.ErrNotAcquired, context.Canceled, errEnough)
		c.stillWaiting(back)
		require.Empty(c, front)
		c.release(h)
		h = c.granted(front)
		c.stillWaiting(back)
		c.release(h)
		c.release(c.granted(back))
		c.unused(0)
	}
}

// leavingAtOnesTurn: the two in front leave while the holder lets go.
func leavingAtOnesTurn(c *trial) {
	const rounds = 4
	for i := range rounds * len(lines) {
		line := lines[i%len(lines)]
		h := c.lock(2)
		var ctxs [2]context.Context
		var leave [2]context.CancelFunc
		for k := range ctxs {
			ctxs[k], leave[k] = context.WithCancel(c.ctx())
		}
		outs := []<-chan outcome{
			c.waiting(ctxs[0], 4*i+1, line[0]), c.waiting(ctxs[1], 4*i+2, line[1]),
			c.waiting(c.ctx(), 4*i+3, line[2]), c.waiting(c.ctx(), 4*i+4, i%Clients),
		}
		var g errgroup.Group
		for _, f := range []func() error{
			func() error { return h.Release(c.ctx()) },
			func() error { leave[0](); return nil },
			func() error { leave[1](); return nil },
		} {
			pause := time.Duration(rand.Int64N(int64(4*time.Millisecond))) >> rand.IntN(7)
			g.Go(func() error {
				<-time.After(pause)
				return f()
			})
		}
		require.NoError(c, g.Wait())
		for _, out := range outs[:2] {
			if o := c.ended(out); o.err != nil {
				c.is(o.err, recipes.ErrNotAcquired, context.Canceled)
			} else {
				require.Empty(c, outs[2], "two hold the lock")
				require.Empty(c, outs[3], "two hold the lock")
				c.release(o.hold)
			}
		}
		c.oneByOne(outs[2:])
		c.unused(0)
	}
}

func triesDoNotOvertake(c *trial) {
	for i := range 20 {
		h := c.lock(i % 2)
		out := c.waiting(c.ctx(), i+1, i%Clients)
		c.release(h)
		c.refused((i + 1) % Clients)
		c.refused(i % Clients)
		c.release(c.granted(out))
		c.unused(0)
	}
}
