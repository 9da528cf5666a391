package mutex_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

// sessionOf is the session that owns a contender.
func (r *zooRig) sessionOf(name string) int64 {
	r.t.Helper()
	_, stat, err := r.oracle.Get(r.path + "/" + name)
	require.NoError(r.t, err)
	return stat.EphemeralOwner
}

func (r *zooRig) kill(name string) {
	r.t.Helper()
	require.NoError(r.t, r.server.KillSession(r.t.Context(), r.sessionOf(name)))
}

func TestZooSessionKilledOnTheServerIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	m := r.straight()
	h := lockIn(t, m, patience)
	fence, _ := h.Fence()
	start := time.Now()
	r.kill(h.Owner())
	noticed := lostBy(t, h, h.Context(t.Context()), slack)
	t.Logf("noticed after %v", noticed.Sub(start))
	why := lostReason(t, h.Err())
	require.Contains(t, []recipes.Reason{recipes.ReasonSessionExpired, recipes.ReasonTaken}, why)
	again := lockIn(t, m, 10*time.Second)
	token, _ := again.Fence()
	require.Greater(t, token, fence, "a new session, and a new node")
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
	require.NoError(t, again.Extend(t.Context(), 0), "the lost hold's release touches nothing")
	release(t, again)
}

// BL-107, BL-93: a waiter whose session was killed is not granted; it stands in
// line again, at the end.
func TestZooBL107WaiterOfAKilledSessionQueuesAnew(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	front := lockIn(t, r.straight(), patience)
	got := make(chan *recipes.Hold, 2)
	r.waiting(t.Context(), r.straight(), 1, got)
	r.waiting(t.Context(), r.straight(), 1, got)
	places := r.children()
	r.kill(places[1])
	eventually(t, "it stands in line again", func() bool {
		now := r.children()
		return len(now) == 3 && now[1] == places[2]
	})
	last := r.children()[2]
	release(t, front)
	h := <-got
	require.Equal(t, places[2], h.Owner())
	require.Empty(t, got)
	release(t, h)
	h = <-got
	require.Equal(t, last, h.Owner())
	release(t, h)
	r.free(slack)
}

// BL-85: callers that leave, and clients that close, take their nodes along.
func TestZooClosedAndCancelledCallersLeaveNoNode(t *testing.T) {
	t.Parallel()
	for layout, opts := range zooLayouts {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			h := lockIn(t, r.straight(opts...), patience)
			c := r.client(zkcore.WithDialer(r.tap.dial))
			ends := make(chan error, 6)
			ctx, cancel := context.WithCancelCause(t.Context())
			enough := errors.New("enough")
			for i := range 6 {
				of := ctx
				if i%2 == 0 {
					of = t.Context()
				}
				go func() {
					_, err := mutex.NewZooKeeper(c, r.path, opts...).Lock(of)
					ends <- err
				}()
			}
			eventually(t, "all wait", func() bool { return r.events.count(recipes.EventWaiting) == 6 })
			cancel(enough)
			for range 3 {
				err := <-ends
				require.ErrorIs(t, err, recipes.ErrNotAcquired)
				require.ErrorIs(t, err, enough)
			}
			if layout == "curator" {
				eventually(t, "their nodes go", func() bool { return len(r.children()) == 4 })
			}
			require.NoError(t, c.Close(t.Context()))
			for range 3 {
				require.ErrorIs(t, <-ends, recipes.ErrClosed)
			}
			require.Len(t, r.children(), 1)
			_, err := mutex.NewZooKeeper(c, r.path, opts...).Lock(t.Context())
			require.ErrorIs(t, err, recipes.ErrClosed)
			release(t, h)
		})
	}
}

func TestZooCloseWaitsForReleasesAndClosesTheSession(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client()
	h := lockIn(t, mutex.NewZooKeeper(c, r.path), patience)
	id := r.sessionOf(h.Owner())
	ctx := h.Context(t.Context())
	closed := make(chan error, 1)
	go func() { closed <- c.Close(t.Context()) }()
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), recipes.ErrClosed)
	require.NoError(t, h.Err(), "still held")
	<-time.After(session + session/2)
	require.NoError(t, h.Err(), "and kept")
	release(t, h)
	require.NoError(t, <-closed)
	require.Empty(t, r.children())
	require.False(t, slices.Contains(r.server.Sessions(t), id))
}

// What is still held when Close gives up is not freed: its work may be running.
func TestZooCloseAbandonsWhatIsHeldToTheSessionsEnd(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client()
	h := lockIn(t, mutex.NewZooKeeper(c, r.path), patience)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	require.ErrorIs(t, c.Close(ctx), context.DeadlineExceeded)
	require.Equal(t, recipes.ReasonClosed, lostReason(t, h.Err()))
	require.Equal(t, []string{h.Owner()}, r.children())
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
	release(t, lockIn(t, r.straight(), 10*time.Second))
	require.Greater(t, time.Since(start), session/2, "the server's time-out, not ours, has freed it")
}

func TestZooTLS(t *testing.T) {
	t.Parallel()
	server := stores.ZooKeeper(t, stores.WithTLS())
	cfg, err := stores.TLSConfig()
	require.NoError(t, err)
	c := zooConnect(t, []string{server.TLSAddr()}, zkcore.WithDialer(tlsDialer(cfg)))
	release(t, lockIn(t, mutex.NewZooKeeper(c, "/tls"), time.Second))
}
