// Package interop_test pits real Java services against the Go recipes, on the
// same names of the same real servers.
package interop_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

const (
	watchdog = 3 * time.Second
	slack    = 2 * time.Second
)

// pair is one server with a Java and a Go client.
type pair struct {
	java   *peer.Peer
	goes   *rediscore.Client
	server *stores.Server
	oracle *redis.Client
}

// eachVersion runs a test beside every Redisson version asked for.
func eachVersion(t *testing.T, f func(t *testing.T, p *pair)) {
	for _, v := range peer.RedissonVersions() {
		t.Run("Redisson "+v, func(t *testing.T) {
			server := stores.Shared(t)
			java := peer.Redisson{Version: v, Addrs: []string{server.Addr()}, Watchdog: watchdog}.Run(t)
			f(t, &pair{java: java, goes: connect(t, server.Addr()), server: server, oracle: server.Client(t)})
		})
	}
}

func connect(t *testing.T, addr string) *rediscore.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	c, err := goredis.New(rdb, rediscore.WithWatchdogLease(watchdog))
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), slack)
		defer cancel()
		require.NoError(t, c.Close(ctx))
		require.NoError(t, rdb.Close())
	})
	return c
}

func (p *pair) mutex(name string, opts ...mutex.RedisOption) *mutex.Mutex {
	return mutex.NewRedis(p.goes, name, opts...)
}

// waiting starts a Go Lock; the channel tells when it got in.
func waiting(t *testing.T, m *mutex.Mutex) <-chan time.Time {
	t.Helper()
	in := make(chan time.Time, 1)
	go func() {
		h, err := m.Lock(t.Context())
		if err != nil {
			close(in)
			return
		}
		now := time.Now()
		_ = h.Release(t.Context())
		in <- now
	}()
	return in
}

// subscribed waits until n listen for the release of a lock.
func (p *pair) subscribed(t *testing.T, name string, n int64) {
	t.Helper()
	channel := "redisson_lock__channel:{" + name + "}"
	require.Eventually(t, func() bool {
		got, err := p.oracle.PubSubNumSub(t.Context(), channel).Result()
		return err == nil && got[channel] >= n
	}, 10*time.Second, 5*time.Millisecond)
	<-time.After(50 * time.Millisecond) // and until they have asked once more
}

func hold(t *testing.T, m *mutex.Mutex) *recipes.Hold {
	t.Helper()
	h, err := m.Lock(t.Context(), recipes.WithWait(30*time.Second))
	require.NoError(t, err)
	return h
}

func middle(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
