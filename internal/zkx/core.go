// Package zkx is the inside of the ZooKeeper core: what zkcore.Client stands for
// and recipes on ZooKeeper are built from.
package zkx

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/zkcore"
)

// Core is one client: its session of the moment, its grants, what goes on
// behind.
type Core struct {
	core.Life
	core.Lines
	dialer zkcore.Dialer
	set    *settings.ZooKeeper
	log    *slog.Logger
	quiet  core.Quiet
	// noContainers: the servers are too old to know that kind of node.
	noContainers atomic.Bool
	graceful     atomic.Bool // nothing is held at the end
	hurried      atomic.Bool // a Close has ended before its time

	mu      sync.Mutex
	started bool
	stopped chan struct{} // closed when no session will be opened any more
	now     *epoch        // nil: there is none
	granted time.Duration // the time-out of the newest one
	trouble error         // why not
	changed chan struct{} // closed and made anew when either changes
}

// Of is the core of a client.
func Of(c *zkcore.Client) *Core {
	if c == nil {
		panic("holdfast: the zkcore.Client is nil")
	}
	dialer, set, slot := c.Internals()
	return slot.Get(func(closed bool) settings.Mechanism { return newCore(dialer, set, closed) }).(*Core)
}

func newCore(dialer zkcore.Dialer, set *settings.ZooKeeper, closed bool) *Core {
	c := &Core{
		dialer: dialer, set: set, log: set.Logger,
		stopped: make(chan struct{}), changed: make(chan struct{}),
	}
	c.quiet.Gap = set.SessionTimeout
	c.Keeper.Linger = true
	c.Begin(&set.Common, closed)
	if closed {
		c.started = true
		close(c.stopped)
	}
	return c
}

// Connect waits for the first session.
func (c *Core) Connect(ctx context.Context) error {
	for {
		e, changed, trouble := c.session()
		switch {
		case e != nil:
			return nil
		case errors.Is(trouble, zkcore.ErrRefused):
			return &grant.Fault{Kind: grant.ErrUnavailable, Causes: []error{trouble}}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			causes := append([]error{ctx.Err()}, grant.OwnCause(ctx)...)
			if trouble != nil {
				causes = append(causes, trouble)
			}
			return &grant.Fault{Kind: grant.ErrUnavailable, Causes: causes}
		}
	}
}

// session is the session of the moment, or why there is none; changed is closed
// when that is no longer so. The first call opens one.
func (c *Core) session() (e *epoch, changed <-chan struct{}, trouble error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.started {
		c.started = true
		go c.keepSession()
	}
	return c.now, c.changed, c.trouble
}

func (c *Core) announce(e *epoch, trouble error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now, c.trouble = e, trouble; e != nil {
		c.granted = e.timeout
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

var (
	errNoSession = errors.New("there is no session")
	errNoServer  = errors.New("no server has accepted a session in time")
	errNoAnswer  = errors.New("no answer in time")
)

// await is session, with some patience. Without one it is trouble, or a fault
// when the servers refuse the client.
func (c *Core) await(ctx context.Context) (*epoch, error) {
	var timer *time.Timer
	for {
		e, changed, trouble := c.session()
		switch {
		case e != nil && c.set.Retry.Tries > 0 && e.isCut():
			return nil, &claim.Trouble{Err: errCut} // counted, not waited for
		case e != nil:
			return e, nil
		case errors.Is(trouble, zkcore.ErrRefused):
			return nil, &grant.Fault{Kind: grant.ErrUnavailable, Causes: []error{trouble}}
		case trouble == nil:
			trouble = errNoSession
		}
		if timer == nil {
			timer = time.NewTimer(c.attemptLimit())
			defer timer.Stop()
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil, &claim.Trouble{Err: trouble}
		case <-c.Closing:
			return nil, &grant.Fault{Kind: grant.ErrClosed}
		case <-ctx.Done():
			return nil, &claim.Trouble{Err: context.Cause(ctx)}
		}
	}
}

// timeout is that of the session of the moment, which the server has granted;
// without one, what is asked for.
func (c *Core) timeout() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.granted > 0 {
		return c.granted
	}
	return c.set.SessionTimeout
}

// attemptLimit is how long a call waits for one answer before it looks at its
// other ways out; no longer than what is left of its patience with a silent
// store. A call that comes when the patience of others is over gets an attempt of
// its own.
func (c *Core) attemptLimit() time.Duration {
	timeout := c.timeout()
	limit := min(timeout/3, longestAttempt)
	if left := timeout - c.quiet.Length(); left > 0 {
		return min(limit, left)
	}
	return limit
}

// try bounds one request in time; closing the client ends it.
func (c *Core) try(ctx context.Context) (context.Context, context.CancelFunc) {
	return c.While(ctx, c.attemptLimit(), errNoAnswer)
}

const longestAttempt = 3 * time.Second

// env is what the acquire loop needs to know.
func (c *Core) env(verb string, l *Lock) claim.Env {
	timeout := c.timeout()
	return claim.Env{
		Verb: verb, Name: l.Path, Emit: c.Emitter(l.Recipe.Name), Closing: c.Closing,
		Silence: c.quiet.Length, Patience: timeout, TryFor: timeout / 3,
		Tries: c.set.Retry.Tries, Pause: c.set.Retry.Pause,
	}
}

// Close is zkcore.Client.Close. What is still held at its end must not be freed,
// its work may be running: then the session is not closed, only left.
func (c *Core) Close(ctx context.Context) error {
	c.BeginClosing()
	err := c.Drain(ctx)
	if err != nil {
		c.hurried.Store(true)
	}
	// One Close may find nothing left because another one has abandoned it.
	c.graceful.Store(!c.hurried.Load())
	c.Stop()
	c.mu.Lock()
	if !c.started {
		c.started = true
		close(c.stopped)
	}
	c.mu.Unlock()
	<-c.stopped
	return err
}

// validity is how long a lease that the library keeps may be believed in.
func validity(lease time.Duration) time.Duration { return grant.Validity(lease, 0, 0) }
