package conformance

import (
	"context"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

// outcome is how a Lock call ended.
type outcome struct {
	hold *recipes.Hold
	err  error
}

// start calls Lock behind the scenario's back.
func (c *trial) start(ctx context.Context, client int, opts ...recipes.LockOption) <-chan outcome {
	l := c.locker(client)
	out := make(chan outcome, 1)
	go func() {
		h, err := l.Lock(ctx, opts...)
		out <- outcome{h, err}
	}()
	return out
}

// waiting starts a Lock call and returns when it is in line, as the n-th that
// had to wait.
func (c *trial) waiting(ctx context.Context, n, client int, opts ...recipes.LockOption) <-chan outcome {
	c.Helper()
	out := c.start(ctx, client, opts...)
	c.queued(n)
	return out
}

// queued: n Lock calls have had to wait until now.
func (c *trial) queued(n int) {
	c.Helper()
	if c.Bubble {
		synctest.Wait()
		return
	}
	require.Eventually(c, func() bool { return c.d.Waiting(c.name("orders")) >= n }, patience, time.Millisecond)
}

func (c *trial) granted(out <-chan outcome) *recipes.Hold {
	c.Helper()
	o := c.ended(out)
	require.NoError(c, o.err)
	return o.hold
}

func (c *trial) failed(out <-chan outcome) error {
	c.Helper()
	o := c.ended(out)
	require.Nil(c, o.hold)
	require.Error(c, o.err)
	return o.err
}

func (c *trial) ended(out <-chan outcome) outcome {
	c.Helper()
	select {
	case o := <-out:
		return o
	case <-time.After(patience):
		require.FailNow(c, "a Lock call does not end")
		return outcome{}
	}
}

// stillWaiting: the call has not ended although there was time for it.
func (c *trial) stillWaiting(out <-chan outcome) {
	c.Helper()
	select {
	case o := <-out:
		require.FailNow(c, "the call should wait", "%v %v", o.hold, o.err)
	case <-time.After(50 * time.Millisecond):
	}
}
