package conformance

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var exclusion = []scenario{
	{name: "one holds at a time, across clients and within one", run: oneHoldsAtATime},
	{name: "a tree of holds and strangers count as one and one", run: treesCountAsOne},
	{name: "locks of other names are not affected", run: otherNamesAreFree},
	{name: "two locks of one name are one lock", run: sameNameSameLock},
	{name: "in one client the first to come is the first to get in", run: inOrder},
	{name: "a hold of one client is a stranger to another", needs: aStore, run: clientsAreStrangers},
}

var errTwoHold = errors.New("two hold the lock")

// register is what the lock protects: reading, a pause, writing. Atomic, so that
// the race detector has no say in what only the lock may order.
type register struct {
	value  atomic.Int64
	inside atomic.Int32
}

func (r *register) add() error {
	if r.inside.Add(1) != 1 {
		return errTwoHold
	}
	seen := r.value.Load()
	for range 20 {
		runtime.Gosched()
	}
	r.value.Store(seen + 1)
	r.inside.Add(-1)
	return nil
}

func oneHoldsAtATime(c *trial) {
	const workers, rounds = 4, 6
	var r register
	var g errgroup.Group
	ctx := c.ctx()
	for client := range Clients {
		for range workers {
			g.Go(func() error {
				for range rounds {
					err := recipes.Do(ctx, c.locker(client), func(_ context.Context, h *recipes.Hold) error {
						return errors.Join(r.add(), h.Err())
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	require.NoError(c, g.Wait())
	require.EqualValues(c, Clients*workers*rounds, r.value.Load())
}

// treesCountAsOne: two locks below one hold exclude each other, and all of it
// excludes the holders of another client.
func treesCountAsOne(c *trial) {
	const rounds = 5
	var r register
	var g errgroup.Group
	ctx := c.ctx()
	for client := range 2 {
		g.Go(func() error {
			for range rounds {
				err := recipes.Do(ctx, c.locker(client), func(ctx context.Context, _ *recipes.Hold) error {
					var below errgroup.Group
					for range 2 {
						below.Go(func() error {
							return recipes.Do(ctx, c.locker(client), func(context.Context, *recipes.Hold) error {
								return r.add()
							})
						})
					}
					return below.Wait()
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(c, g.Wait())
	require.EqualValues(c, 2*rounds*2, r.value.Load())
}

func otherNamesAreFree(c *trial) {
	h := c.lock(0)
	for _, of := range []string{"other", "orders:1", "order"} {
		for client := range 2 {
			other, err := c.other(client, of).TryLock(c.ctx())
			require.NoError(c, err)
			c.release(other)
		}
	}
	c.release(h)
}

func sameNameSameLock(c *trial) {
	h := c.lock(0)
	require.Equal(c, c.name("orders"), h.Name())
	require.Equal(c, c.name("orders"), c.locker(0).Name())
	for client := range Clients {
		c.refused(client)
	}
	c.release(h)
	c.free(0)
}

func inOrder(c *trial) {
	const waiters = 6
	first := c.lock(0)
	var outs []<-chan outcome
	for i := range waiters {
		outs = append(outs, c.waiting(c.ctx(), i+1, 0))
	}
	c.release(first)
	c.oneByOne(outs)
}

func clientsAreStrangers(c *trial) {
	h := c.lock(0)
	_, err := c.locker(1).TryLock(h.Context(c.ctx()))
	c.is(err, recipes.ErrNotAcquired)
	c.release(h)
}
