// Package limit bounds calls in time without a timer each: nearly all of them
// end long before, and the timer would cost more than what it guards.
package limit

import (
	"context"
	"sync"
	"time"
)

// Context is a parent that also ends at an instant. Its Done makes a timer when
// it is first asked for; whoever can end by a deadline need not ask.
type Context struct {
	context.Context
	end time.Time

	mu    sync.Mutex
	timed context.Context
	stop  context.CancelFunc
}

// New is parent, ending after d at the latest. Stop it when the call is over.
func New(parent context.Context, d time.Duration) *Context {
	end := time.Now().Add(d)
	if other, ok := parent.Deadline(); ok && other.Before(end) {
		end = other
	}
	if p, ok := parent.(*Context); ok {
		parent = p.Context
	}
	return &Context{Context: parent, end: end}
}

// Deadline is when it ends at the latest.
func (c *Context) Deadline() (time.Time, bool) { return c.end, true }

// Done is closed when the parent or the time is over.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = context.WithDeadline(c.Context, c.end)
	}
	return c.timed.Done()
}

// Err says which of the two it was.
func (c *Context) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(c.end) {
		return context.DeadlineExceeded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed != nil {
		return c.timed.Err()
	}
	return nil
}

// Stop frees the timer, if there is one.
func (c *Context) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// Split is ctx for a call that ends by itself at a deadline: one whose Done
// tells of the parent alone, and that parent. Other contexts stay as they are.
func Split(ctx context.Context) (call, parent context.Context) {
	c, ok := ctx.(*Context)
	if !ok {
		return ctx, ctx
	}
	return bare{c.Context, c.end}, c.Context
}

type bare struct {
	context.Context
	end time.Time
}

func (b bare) Deadline() (time.Time, bool) { return b.end, true }
