package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var releasing = []scenario{
	{name: "a release works after its context has ended", run: releaseAfterCancel},
	{name: "a second release is not held", run: secondRelease},
	{name: "of two releases at once one works", run: twoReleases},
	{name: "any goroutine may release", run: releaseElsewhere},
	{name: "the owner is new with every hold", run: newOwners},
}

func releaseAfterCancel(c *trial) {
	cancelled, cancel := context.WithCancel(c.ctx())
	cancel()
	late, stop := context.WithDeadline(c.ctx(), time.Now().Add(-time.Hour))
	defer stop()
	for _, ctx := range []context.Context{cancelled, late} {
		h := c.lock(0)
		require.NoError(c, h.Release(ctx))
		c.free(1)
	}
}

func secondRelease(c *trial) {
	h := c.lock(0)
	c.release(h)
	other := c.lock(1)
	for range 2 {
		err := h.Release(c.ctx())
		c.is(err, recipes.ErrNotHeld)
		require.NotErrorIs(c, err, recipes.ErrLost)
	}
	c.refused(0) // the other's hold is untouched
	c.release(other)
}

func twoReleases(c *trial) {
	for range 10 {
		h := c.lock(0)
		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- h.Release(c.ctx()) }()
		}
		one, two := <-errs, <-errs
		if one != nil {
			one, two = two, one
		}
		require.NoError(c, one)
		c.is(two, recipes.ErrNotHeld)
		c.free(1)
	}
}

func releaseElsewhere(c *trial) {
	h := c.lock(0)
	done := make(chan error)
	go func() { done <- errors.Join(h.Err(), h.Release(c.ctx())) }()
	require.NoError(c, <-done)
	c.free(1)
}

func newOwners(c *trial) {
	seen := map[string]bool{}
	for client := range Clients {
		for range 2 {
			h := c.lock(client)
			require.NotEmpty(c, h.Owner())
			require.False(c, seen[h.Owner()], "%s was there before", h.Owner())
			seen[h.Owner()] = true
			c.release(h)
		}
	}
}
