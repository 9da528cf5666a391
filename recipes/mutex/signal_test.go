package mutex_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// gap hands the lock from one client to another n times and returns how long
// each wait went on after the release was called, shortest first.
func gap(t *testing.T, r *rig, holder, waiter *mutex.Mutex, n int, before func()) []time.Duration {
	t.Helper()
	var gaps []time.Duration
	for range n {
		h, err := holder.Lock(t.Context())
		require.NoError(t, err)
		got := make(chan time.Time, 1)
		go func() {
			next, err := waiter.Lock(t.Context())
			if err == nil {
				got <- time.Now()
				_ = next.Release(t.Context())
			}
		}()
		before()
		released := time.Now()
		release(t, h)
		gaps = append(gaps, (<-got).Sub(released))
		r.free(slack)
	}
	slices.Sort(gaps)
	return gaps
}

func TestWaitEndsSoonAfterTheRelease(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	channel := "redisson_lock__channel:{" + r.name + "}"
	holder, waiter := r.straight(withLease(30*time.Second)), r.straight(withLease(30*time.Second))
	listening := func() {
		eventually(t, "subscribed", func() bool {
			n, err := r.oracle.PubSubNumSub(t.Context(), channel).Result()
			return err == nil && n[channel] == 1
		})
		pass(20 * time.Millisecond) // and asked once more
	}
	gaps := gap(t, r, holder, waiter, 31, listening)
	t.Logf("by signal: %v in the middle, %v at most", gaps[15], gaps[30])
	require.Less(t, gaps[15], 20*time.Millisecond)
}

func TestWaitEndsByTimerWhenTheSignalIsLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.proxy.OnPush(func(faultproxy.Push) int { return 0 })
	waiter := r.warm(r.broken(withLease(30 * time.Second)))
	gaps := gap(t, r, r.straight(withLease(30*time.Second)), waiter, 4, func() {
		pass(100 * time.Millisecond)
	})
	t.Logf("by timer: %v", gaps)
	require.Less(t, gaps[3], time.Second+soon)
	require.Greater(t, gaps[3], 200*time.Millisecond, "the signals were not lost")
}

// BL-29: a release between the failed try and the subscription is not missed.
func TestBL29ReleaseBeforeTheSubscriptionIsSeen(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	holder, waiter := r.straight(withLease(30*time.Second)), r.warm(r.broken(withLease(30*time.Second)))
	h, err := holder.Lock(t.Context())
	require.NoError(t, err)
	subscribe := r.proxy.OnRequest(faultproxy.Named("SUBSCRIBE"), faultproxy.Hold())
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := waiter.Lock(t.Context()); err == nil {
			got <- h
		}
	}()
	<-subscribe.Hit()
	asks := r.proxy.Count(runs(t, "acquire.lua"))
	release(t, h)
	subscribe.Release()
	freed := time.Now()
	next := <-got
	require.Less(t, time.Since(freed), 500*time.Millisecond)
	require.Equal(t, asks+1, r.proxy.Count(runs(t, "acquire.lua")), "one more try, when the subscription was confirmed")
	release(t, next)
}

// BL-32: a subscription that is cut is made again, and what was missed is seen.
func TestBL32CutSubscriptionIsMadeAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	channel := "redisson_lock__channel:{" + r.name + "}"
	waiter := r.warm(r.broken(withLease(30 * time.Second)))
	h, err := r.straight(withLease(30 * time.Second)).Lock(t.Context())
	require.NoError(t, err)
	got := make(chan *recipes.Hold, 1)
	wait := r.wait(t.Context(), waiter, got)
	subscribed := func() bool {
		n, err := r.oracle.PubSubNumSub(t.Context(), channel).Result()
		return err == nil && n[channel] == 1
	}
	for n := range 3 {
		eventually(t, "subscribed anew", func() bool {
			return r.proxy.Count(faultproxy.Named("SUBSCRIBE")) > n && subscribed()
		})
		r.proxy.Cut()
	}
	eventually(t, "subscribed again", func() bool {
		return r.proxy.Count(faultproxy.Named("SUBSCRIBE")) > 3 && subscribed()
	})
	freed := time.Now()
	release(t, h)
	require.NoError(t, wait())
	require.Less(t, time.Since(freed), time.Second+soon)
	release(t, <-got)
}

// A connection for signals that is mute is left, although TCP says nothing.
func TestMuteSubscriptionIsNoticed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	waiter := r.warm(r.broken(withLease(30 * time.Second)))
	h, err := r.straight(withLease(30 * time.Second)).Lock(t.Context())
	require.NoError(t, err)
	got := make(chan *recipes.Hold, 1)
	wait := r.wait(t.Context(), waiter, got)
	eventually(t, "subscribed", func() bool { return r.proxy.Count(faultproxy.Named("SUBSCRIBE")) == 1 })
	for _, c := range r.proxy.Conns() {
		c.Blackhole(faultproxy.ToClient, true)
	}
	eventually(t, "subscribed anew", func() bool { return r.proxy.Count(faultproxy.Named("SUBSCRIBE")) == 2 })
	release(t, h)
	require.NoError(t, wait())
	release(t, <-got)
}

// BL-31: very many names are waited for through one connection, and nothing
// stays subscribed.
func TestBL31ManyNamesShareOneSubscription(t *testing.T) {
	t.Parallel()
	const names = 300
	r := newRig(t)
	holder, waiter := connect(t, r.server.Addr(), withLease(30*time.Second)), connect(t, r.proxy.Addr(), withLease(30*time.Second))
	var holds []*recipes.Hold
	entered := make(chan error, names)
	for i := range names {
		name := r.name + string(rune('a'+i%26)) + string(rune('a'+i/26))
		h, err := mutex.NewRedis(holder, name).Lock(t.Context())
		require.NoError(t, err)
		holds = append(holds, h)
		go func() {
			h, err := mutex.NewRedis(waiter, name).Lock(t.Context())
			if err == nil {
				err = h.Release(t.Context())
			}
			entered <- err
		}()
	}
	pattern := "redisson_lock__channel:{" + r.name + "*"
	channels := func() int {
		list, err := r.oracle.PubSubChannels(t.Context(), pattern).Result()
		require.NoError(t, err)
		return len(list)
	}
	eventually(t, "all subscribed", func() bool { return channels() == names })
	subscribers := make(map[int]bool)
	for _, c := range r.proxy.Commands() {
		if c.Name == "SUBSCRIBE" {
			subscribers[c.Conn] = true
		}
	}
	require.Len(t, subscribers, 1)
	for _, h := range holds {
		release(t, h)
	}
	for range names {
		require.NoError(t, <-entered)
	}
	eventually(t, "nothing stays subscribed", func() bool { return channels() == 0 })
}
