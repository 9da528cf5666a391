package redisx

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/rediscore"
)

// probe asks once, at the first lock, what the deployment is.
type probe struct {
	known atomic.Pointer[rediscore.Shape]
	turn  chan struct{}
}

// shape is what the deployment is. It is asked until it has been answered.
func (c *Core) shape(ctx context.Context) (*rediscore.Shape, error) {
	if s := c.probe.known.Load(); s != nil {
		return s, nil
	}
	select {
	case c.probe.turn <- struct{}{}:
		defer func() { <-c.probe.turn }()
	case <-ctx.Done():
		return nil, &claim.Trouble{Err: context.Cause(ctx)}
	}
	if s := c.probe.known.Load(); s != nil {
		return s, nil
	}
	trial := c.try(ctx)
	defer trial.Stop()
	c.quiet.Asked(time.Now())
	s, err := c.conn.Shape(trial)
	if err != nil {
		return nil, c.unshaped(err)
	}
	c.quiet.Answered()
	c.probe.known.Store(&s)
	return &s, nil
}

func (c *Core) unshaped(err error) error {
	var e *rediscore.ServerError
	if errors.As(err, &e) {
		return c.refusal(e)
	}
	if errors.Is(err, grant.ErrInvalid) {
		return &grant.Fault{Kind: grant.ErrInvalid, Causes: []error{err}}
	}
	return &claim.Trouble{Err: err}
}

// The words that scripts take for how to publish.
const (
	publishPlain   = "PUBLISH"
	publishSharded = "SPUBLISH"
	publishBoth    = "BOTH"
)

// publishing is how releases are published here: Redisson's rule, unless the
// user set another.
func (c *Core) publishing() string {
	s := c.probe.known.Load()
	if s == nil || !s.Cluster {
		return publishPlain
	}
	switch c.set.Signals {
	case settings.Sharded:
		return publishSharded
	case settings.Both:
		return publishBoth
	case settings.Auto, settings.Off:
		if s.Sharded {
			return publishSharded
		}
	case settings.Plain:
	}
	return publishPlain
}
