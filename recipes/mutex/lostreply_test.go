package mutex_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

func TestBL01LostReplyOfAcquireCountsOnce(t *testing.T) {
	t.Parallel()
	for _, retries := range []int{-1, 0, 1, 4} {
		t.Run(fmt.Sprintf("driver retries %d", retries), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			rdb := redis.NewClient(&redis.Options{Addr: r.proxy.Addr(), MaxRetries: retries})
			m := r.warm(mutex.NewRedis(clientOf(t, rdb), r.name))
			lost := r.proxy.OnRequest(runs(t, "acquire.lua"), faultproxy.SwallowReplyAndReset())
			h, err := m.Lock(t.Context())
			require.NoError(t, err)
			<-lost.Hit()
			require.Equal(t, map[string]string{h.Owner(): "1"}, r.levels())
			release(t, h)
			require.Empty(t, r.levels())
		})
	}
}

// Whatever request of a pair is lost, and however: no count is wrong, no key
// stays, and the owner is never told that it did not own.
func TestLostReplyOfAnyRequestLeavesTheCountRight(t *testing.T) {
	t.Parallel()
	actions := map[string]func() faultproxy.Action{
		"reply, reset":   faultproxy.SwallowReplyAndReset,
		"reply, silent":  faultproxy.SwallowReply,
		"request, reset": faultproxy.SwallowRequestAndReset,
		"request":        faultproxy.SwallowRequest,
	}
	for how, action := range actions {
		for n := 1; n <= 4; n++ { // lock, re-enter, release, release
			t.Run(fmt.Sprintf("%s of request %d", how, n), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				m := r.warm(r.broken())
				lost := r.proxy.OnRequest(faultproxy.Nth(n, faultproxy.Script(r.name)), action())
				h, err := m.Lock(t.Context())
				require.NoError(t, err)
				inner, err := m.Lock(h.Context(t.Context()))
				require.NoError(t, err)
				if n > 2 {
					require.Equal(t, map[string]string{h.Owner(): "2"}, r.levels())
				}
				require.NoError(t, inner.Release(t.Context()))
				if n > 3 {
					require.Equal(t, map[string]string{h.Owner(): "1"}, r.levels())
				}
				require.NoError(t, h.Release(t.Context()))
				<-lost.Hit()
				require.Empty(t, r.levels())
			})
		}
	}
}

func TestBL06LostReplyOfReleaseIsNoLossAndTouchesNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m, other := r.warm(r.broken()), r.straight()
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	entered := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := other.Lock(t.Context()); err == nil {
			entered <- h
		}
	}()
	lost := r.proxy.OnRequest(runs(t, "release.lua"), faultproxy.SwallowReply())
	done := make(chan error, 1)
	go func() { done <- h.Release(t.Context()) }()
	<-lost.Hit()
	b := <-entered // between the first request and its repeat
	require.NoError(t, <-done)
	require.Equal(t, map[string]string{b.Owner(): "1"}, r.levels())
	require.NoError(t, b.Err())
	release(t, b)
}

func TestLostReplyOfRenewalIsNoLoss(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.warm(r.broken())
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	lost := r.proxy.OnRequest(renews(t), faultproxy.SwallowReplyAndReset())
	<-lost.Hit()
	pass(2 * lease)
	require.NoError(t, h.Err())
	release(t, h)
}

// A hand-over whose reply is lost: the releaser repeats it, the heir counts its
// lease from the answered repeat, and nobody else gets in between.
func TestLostReplyOfHandOverReachesTheHeirOnce(t *testing.T) {
	t.Parallel()
	for how, action := range map[string]func() faultproxy.Action{
		"reset": faultproxy.SwallowReplyAndReset, "silent": faultproxy.SwallowReply, "request": faultproxy.SwallowRequest,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			m := r.warm(r.broken())
			h, err := m.Lock(t.Context())
			require.NoError(t, err)
			waiting := make(chan *recipes.Hold, 1)
			end := r.wait(t.Context(), m, waiting)
			lost := r.proxy.OnRequest(runs(t, "handover.lua"), action())
			require.NoError(t, h.Release(t.Context()))
			<-lost.Hit()
			heir := <-waiting
			require.NoError(t, end())
			require.Equal(t, map[string]string{heir.Owner(): "1"}, r.levels())
			release(t, heir)
			require.Empty(t, r.levels())
		})
	}
}

// The heir leaves while the hand-over to it is under way: its name is undone,
// and the lock goes to the next.
func TestHeirThatLeavesUndoesItsName(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m, other := r.warm(r.broken()), r.straight()
	for range 20 {
		h, err := m.Lock(t.Context())
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		end := r.wait(ctx, m, nil)
		held := r.proxy.OnRequest(runs(t, "handover.lua"), faultproxy.Hold())
		released := make(chan error, 1)
		go func() { released <- h.Release(t.Context()) }()
		<-held.Hit()
		cancel()
		require.ErrorIs(t, end(), context.Canceled)
		held.Release()
		require.NoError(t, <-released)
		release(t, lockIn(t, other, slack))
		require.Empty(t, r.levels())
	}
}

func TestReleaseThatIsRefusedSaysWhyAndGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.warm(r.broken(rediscore.WithReleaseBudget(200 * time.Millisecond)))
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	const misconf = "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk"
	rule := r.proxy.OnEveryRequest(runs(t, "release.lua"), faultproxy.ReplyError(misconf))
	err = h.Release(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnknown)
	require.ErrorContains(t, err, "MISCONF")
	require.False(t, errors.Is(err, recipes.ErrLost))
	rule.Remove()
	r.free(lease)
}
