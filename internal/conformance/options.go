package conformance

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var options = []scenario{
	{name: "a bad lease is invalid and takes nothing", run: badLeasesAreInvalid},
	{name: "a lease and a maximum hold exclude each other", run: leaseAndMaxHold},
}

var badLeases = []time.Duration{0, -time.Second, 99 * time.Millisecond, time.Nanosecond, math.MaxInt64, math.MinInt64}

func badLeasesAreInvalid(c *trial) {
	for _, d := range badLeases {
		for _, opt := range []recipes.LockOption{recipes.WithLease(d), recipes.WithMaxHold(d)} {
			h, err := c.locker(0).Lock(c.ctx(), opt)
			require.Nil(c, h)
			c.is(err, recipes.ErrInvalid)
			h, err = c.locker(0).TryLock(c.ctx(), opt)
			require.Nil(c, h)
			c.is(err, recipes.ErrInvalid)
		}
	}
	held := c.lock(0)
	_, err := c.locker(0).Lock(held.Context(c.ctx()), recipes.WithLease(0))
	c.is(err, recipes.ErrInvalid)
	require.NoError(c, held.Err())
	c.release(held)
	c.free(1)
}

func leaseAndMaxHold(c *trial) {
	both := []recipes.LockOption{recipes.WithLease(time.Second), recipes.WithMaxHold(time.Second)}
	_, err := c.locker(0).Lock(c.ctx(), both...)
	c.is(err, recipes.ErrInvalid)
	_, err = c.locker(0).TryLock(c.ctx(), both...)
	c.is(err, recipes.ErrInvalid)
	c.free(1)
}
