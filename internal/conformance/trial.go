package conformance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// patience is for what must come, on a machine that is busy with other things.
const patience = 20 * time.Second

// trial is one scenario under way.
type trial struct {
	*testing.T
	Subject
	d     Deployment
	store Store         // nil without one
	lease time.Duration // of the first client's watchdog
	tag   string        // in every name of this trial
}

func newTrial(t *testing.T, s Subject, sc scenario) *trial {
	var tag [6]byte
	_, _ = rand.Read(tag[:])
	c := &trial{T: t, Subject: s, lease: sc.lease, tag: hex.EncodeToString(tag[:])}
	if c.lease == 0 {
		c.lease = Calm
	}
	if s.Bubble {
		// Time stands still once the test has returned: the goroutine that looks
		// after leases needs its second to go.
		t.Cleanup(func() { <-time.After(2 * time.Second) })
	}
	c.d = s.New(t, c.lease)
	if c.store, _ = c.d.(Store); c.store != nil {
		t.Cleanup(c.cleanUp)
		c.watchTheClock()
	}
	return c
}

// watchTheClock explains a failure that is none: servers let keys expire by the
// wall clock, and somebody may have set it.
func (c *trial) watchTheClock() {
	start := time.Now()
	c.Cleanup(func() {
		end := time.Now()
		step := end.Round(0).Sub(start.Round(0)) - end.Sub(start)
		if c.Failed() && step.Abs() > 10*time.Millisecond {
			c.Logf("the machine's clock was set by %v meanwhile", step)
		}
	})
}

// cleanUp is the last assertion of every scenario: the lock left nothing behind.
func (c *trial) cleanUp() {
	if c.Failed() { // then holds may be out, and waiting for them says nothing new
		return
	}
	var left atomic.Value // for the message
	require.Eventually(c, func() bool {
		stored, _, err := c.store.Left(c.tag)
		left.Store(fmt.Sprint(stored, err))
		return err == nil && len(stored) == 0
	}, patience/4, 5*time.Millisecond, "left in the store: %v", &left)
	for client := range Clients {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := c.store.Close(ctx, client)
		cancel()
		require.NoError(c, err, "client %d has something pending", client)
	}
	c.nobodyListens("a closed client still listens, or is connected")
}

// nobodyListens: soon nobody hears of changes to a lock of this trial.
func (c *trial) nobodyListens(otherwise string) {
	c.Helper()
	var left atomic.Value // for the message
	require.Eventually(c, func() bool {
		_, listeners, err := c.store.Left(c.tag)
		left.Store(fmt.Sprint(listeners, err))
		return err == nil && len(listeners) == 0
	}, patience, 5*time.Millisecond, "%s: %v", otherwise, &left)
}

// ctx is a context for calls that must come to an end.
func (c *trial) ctx() context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errors.New("the trial's patience is over"))
	c.Cleanup(cancel)
	return ctx
}

func (c *trial) name(of string) string {
	if c.Naming != nil {
		return c.Naming(c.tag, of)
	}
	return c.tag + ":" + of
}

// locker is the lock that most scenarios are about.
func (c *trial) locker(client int) recipes.Locker { return c.other(client, "orders") }

func (c *trial) other(client int, of string) recipes.Locker {
	return c.d.Locker(client, c.name(of))
}

func (c *trial) lock(client int, opts ...recipes.LockOption) *recipes.Hold {
	c.Helper()
	return c.lockWith(c.ctx(), client, opts...)
}

func (c *trial) lockWith(ctx context.Context, client int, opts ...recipes.LockOption) *recipes.Hold {
	c.Helper()
	h, err := c.locker(client).Lock(ctx, opts...)
	require.NoError(c, err)
	require.NoError(c, h.Err())
	return h
}

func (c *trial) release(h *recipes.Hold) {
	c.Helper()
	require.NoError(c, h.Release(c.ctx()))
}

// refused: a try of that client finds the lock held.
func (c *trial) refused(client int) {
	c.Helper()
	h, err := c.locker(client).TryLock(c.ctx())
	require.Nil(c, h)
	c.is(err, recipes.ErrNotAcquired)
}

// free: the lock can be had now.
func (c *trial) free(client int) {
	c.Helper()
	c.unused(client)
	h, err := c.locker(client).TryLock(c.ctx())
	require.NoError(c, err)
	c.release(h)
}

// unused: nobody stands in the store's queue any more, nor holds.
func (c *trial) unused(client int) {
	c.Helper()
	if !c.QueueStored {
		return
	}
	require.Eventually(c, func() bool {
		s, err := c.inspector(client).Inspect(c.ctx())
		return err == nil && len(s.Holders)+len(s.Waiters) == 0
	}, patience/4, time.Millisecond, "a call that has ended is still in line")
}

// freeSoon: the lock can be had in a moment, by waiting like anybody.
func (c *trial) freeSoon(client int, within time.Duration) {
	c.Helper()
	start := time.Now()
	c.release(c.lock(client))
	require.Less(c, time.Since(start), within)
}

// is: err matches every target and names the lock.
func (c *trial) is(err error, targets ...error) {
	c.Helper()
	require.Error(c, err)
	require.ErrorContains(c, err, grant.Quote(c.name("orders")))
	for _, target := range targets {
		require.ErrorIs(c, err, target)
	}
}

// lost: err says that the hold was lost, and why.
func (c *trial) lost(err error, why recipes.Reason) {
	c.Helper()
	c.is(err, recipes.ErrLost, recipes.ErrNotHeld)
	var l *recipes.LostError
	require.ErrorAs(c, err, &l)
	require.Equal(c, why, l.Reason, "%v", err)
	require.Equal(c, c.name("orders"), l.Name)
}

// closed: the channel closes soon.
func (c *trial) closed(done <-chan struct{}, what string) {
	c.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		require.FailNow(c, what+" does not end")
	}
}

func (c *trial) open(done <-chan struct{}, what string) {
	c.Helper()
	select {
	case <-done:
		require.FailNow(c, what+" has ended")
	default:
	}
}

// during calls f every now and then until d is over.
func (c *trial) during(d time.Duration, f func()) {
	c.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		f()
	}
}
