package conformance

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

var reentry = []scenario{
	{name: "levels are released in any order, and strangers wait for the last", run: anyOrder},
	{name: "every form of lock re-enters", run: everyFormReenters},
	{name: "levels released at the same time are released once each", run: releasedTogether},
	{name: "a level whose lease ends while the others are released is no loss", run: leaseEndsDuringRelease},
	{name: "a re-entry that is cancelled does not disturb the hold", run: cancelledReentry},
	{name: "a release beside a cancelled re-entry frees the lock", run: releaseBesideReentry},
	{name: "under one hold, locks of another name exclude each other", run: othersUnderAHold},
	{name: "the context of a released hold carries nothing", run: releasedCarriesNothing},
	{name: "a lost hold cannot be re-entered", run: lostCannotBeReentered},
}

// three locks three levels deep.
func (c *trial) three() []*recipes.Hold {
	c.Helper()
	levels := make([]*recipes.Hold, 3)
	ctx := c.ctx()
	for i := range levels {
		levels[i] = c.lockWith(ctx, 0)
		require.Equal(c, i+1, levels[i].Count())
		require.Equal(c, levels[0].Owner(), levels[i].Owner())
		ctx = levels[i].Context(c.ctx())
	}
	return levels
}

func anyOrder(c *trial) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		levels := c.three()
		for n, i := range order {
			c.refused(n % 2)
			c.release(levels[i])
			require.ErrorIs(c, levels[i].Err(), recipes.ErrNotHeld)
			c.closed(levels[i].Done(), "a released level")
			for _, other := range order[n+1:] {
				require.NoError(c, levels[other].Err())
				c.open(levels[other].Done(), "a level that is held")
			}
		}
		c.free(1)
	}
}

func everyFormReenters(c *trial) {
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	forms := []func() (*recipes.Hold, error){
		func() (*recipes.Hold, error) { return c.locker(0).TryLock(ctx) },
		func() (*recipes.Hold, error) { return c.locker(0).Lock(ctx, recipes.WithWait(0)) },
		func() (*recipes.Hold, error) { return c.locker(0).Lock(ctx, recipes.WithWait(time.Minute)) },
		func() (*recipes.Hold, error) { return c.locker(0).Lock(ctx, recipes.WithLease(time.Minute)) },
		func() (*recipes.Hold, error) { return c.locker(0).Lock(ctx, recipes.WithMaxHold(time.Minute)) },
	}
	for _, form := range forms {
		deeper, err := form()
		require.NoError(c, err)
		require.Equal(c, 2, deeper.Count())
		c.release(deeper)
		require.NoError(c, h.Err())
	}
	c.release(h)
	c.free(1)
}

func releasedTogether(c *trial) {
	for range 25 {
		levels := c.three()
		var g errgroup.Group
		for _, h := range levels {
			g.Go(func() error { return h.Release(c.ctx()) })
		}
		require.NoError(c, g.Wait())
		c.freeSoon(0, patience/4)
		c.freeSoon(1, patience/4)
	}
}

// leaseEndsDuringRelease: the store hears of the end of a level behind, and must
// not hear twice that none is left.
func leaseEndsDuringRelease(c *trial) {
	for range 10 {
		outer := c.lock(0)
		inner := c.lockWith(outer.Context(c.ctx()), 0, recipes.WithLease(250*time.Millisecond))
		c.closed(inner.Done(), "a leased level")
		c.release(outer)
		c.freeSoon(1, patience/4)
		c.freeSoon(0, patience/4)
	}
}

func cancelledReentry(c *trial) {
	for i := range 40 {
		outer := c.lock(0)
		ctx, cancel := context.WithCancelCause(outer.Context(c.ctx()))
		out := c.start(ctx, 0)
		<-time.After(time.Duration(rand.Int64N(int64(4*time.Millisecond))) >> rand.IntN(7))
		cancel(errEnough)
		o := c.ended(out)
		if o.err != nil {
			c.is(o.err, recipes.ErrNotAcquired, context.Canceled, errEnough)
		}
		require.NoError(c, outer.Err())
		if i%2 == 0 {
			require.NoError(c, outer.Extend(c.ctx(), 0))
		}
		c.release(outer)
		if o.hold != nil {
			c.refused(1)
			c.release(o.hold)
		}
		c.freeSoon(1, patience/4)
	}
}

// releaseBesideReentry: a level may come to be, or not, while the only other
// one ends.
func releaseBesideReentry(c *trial) {
	for range 40 {
		outer := c.lock(0)
		ctx, cancel := context.WithCancel(context.WithoutCancel(outer.Context(c.ctx())))
		out := c.start(ctx, 0)
		var g errgroup.Group
		for _, f := range []func() error{
			func() error { cancel(); return nil },
			func() error { return outer.Release(c.ctx()) },
		} {
			pause := time.Duration(rand.Int64N(int64(2*time.Millisecond))) >> rand.IntN(7)
			g.Go(func() error {
				<-time.After(pause)
				return f()
			})
		}
		require.NoError(c, g.Wait())
		if o := c.ended(out); o.hold != nil {
			c.release(o.hold)
		}
		c.freeSoon(0, patience/4)
		c.freeSoon(1, patience/4)
	}
}

func othersUnderAHold(c *trial) {
	const workers, rounds = 8, 3
	h := c.lock(0)
	ctx := h.Context(c.ctx())
	var r register
	var g errgroup.Group
	for range workers {
		g.Go(func() error {
			for range rounds {
				err := recipes.Do(ctx, c.other(0, "other"), func(context.Context, *recipes.Hold) error { return r.add() })
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(c, g.Wait())
	require.EqualValues(c, workers*rounds, r.value.Load())
	require.NoError(c, h.Err())
	c.release(h)
}

func releasedCarriesNothing(c *trial) {
	h := c.lock(0)
	old := context.WithoutCancel(h.Context(c.ctx()))
	c.release(h)

	again, err := c.locker(0).TryLock(old)
	require.NoError(c, err)
	require.Equal(c, 1, again.Count())
	require.NotEqual(c, h.Owner(), again.Owner())
	_, err = c.locker(0).TryLock(old)
	c.is(err, recipes.ErrNotAcquired)
	c.release(again)
}

func lostCannotBeReentered(c *trial) {
	h := c.lock(0, recipes.WithLease(500*time.Millisecond))
	old := context.WithoutCancel(h.Context(c.ctx()))
	c.closed(h.Done(), "a leased hold")
	for range 2 {
		_, err := c.locker(0).Lock(old)
		c.lost(err, recipes.ReasonLeaseOver)
		_, err = c.locker(0).TryLock(old)
		c.lost(err, recipes.ReasonLeaseOver)
		// Nor after its user knows.
		_ = h.Release(c.ctx())
	}
	c.freeSoon(1, patience/2)
}
