// Package interop_test pits real Java services against the Go recipes, on the
// same names of the same real servers.
package interop_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

const (
	watchdog = 3 * time.Second
	slack    = 2 * time.Second  // what two busy cores may add to a limit
	patience = 30 * time.Second // for what takes much less, so that a hang is an error soon
)

// layout is one way to store a mutex, and who has it in Java.
type layout struct {
	name string
	opts []mutex.RedisOption
	java func(t peer.Thread, name string) peer.Lock
}

var (
	hash   = layout{"hash", nil, peer.Thread.Lock}
	fenced = layout{"fenced", []mutex.RedisOption{mutex.Fenced()}, func(t peer.Thread, name string) peer.Lock {
		return t.Fenced(name).Lock
	}}
)

func layoutsOf(redisson string) []layout {
	if atLeast(redisson, 3, 19) {
		return []layout{hash, fenced}
	}
	return []layout{hash}
}

func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	x, _ := strconv.Atoi(parts[0])
	y, _ := strconv.Atoi(parts[1])
	return x > major || x == major && y >= minor
}

// pair is one deployment with a Java service and a Go service.
type pair struct {
	site
	layout
	version string
	java    *peer.Peer
	goes    *rediscore.Client
	oracle  redis.UniversalClient // looks at the raw keys
}

// beside runs a test for each Redisson asked for and each layout that it has.
// The layouts of one version share its deployment and its JVM.
func beside(t *testing.T, where func(t *testing.T, redisson string) site, f func(t *testing.T, p *pair)) {
	for _, version := range peer.RedissonVersions() {
		t.Run("Redisson "+version, func(t *testing.T) {
			p := &pair{site: where(t, version), version: version}
			p.oracle = p.open()
			t.Cleanup(func() { require.NoError(t, p.oracle.Close()) })
			p.java, p.goes = p.jvm(t, "java"), p.client(t)
			for _, l := range layoutsOf(version) {
				t.Run(l.name, func(t *testing.T) {
					own := *p
					own.layout = l
					f(t, &own)
				})
			}
		})
	}
}

// jvm is one more Java service of the version.
func (p *pair) jvm(t *testing.T, name string) *peer.Peer {
	t.Helper()
	settings := p.settings
	settings.Version, settings.Name, settings.Watchdog = p.version, name, watchdog
	return settings.Run(t)
}

// client is one more Go service.
func (p *pair) client(t *testing.T, opts ...rediscore.Option) *rediscore.Client {
	t.Helper()
	rdb := p.open()
	c, err := goredis.New(rdb, append([]rediscore.Option{
		rediscore.WithWatchdogLease(watchdog), rediscore.WithSignals(p.signals),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), slack)
		defer cancel()
		require.NoError(t, c.Close(ctx))
		require.NoError(t, rdb.Close())
	})
	return c
}

// name is what the test calls the lock, kept apart from that of other layouts.
func (p *pair) name(what string) string { return what + " " + p.layout.name }

func (p *pair) mutex(name string) *mutex.Mutex { return p.mutexOf(p.goes, name) }

func (p *pair) mutexOf(c *rediscore.Client, name string) *mutex.Mutex {
	return mutex.NewRedis(c, name, p.opts...)
}

// thread is the lock in the hands of one Java thread.
func (p *pair) thread(thread, name string) peer.Lock { return p.threadOf(p.java, thread, name) }

// threadOf keeps the threads of the layouts apart: calls of one thread queue.
func (p *pair) threadOf(java *peer.Peer, thread, name string) peer.Lock {
	return p.layout.java(java.Thread(p.layout.name+" "+thread), name)
}

// raw is what is stored of the lock: levels by owner.
func (p *pair) raw(t *testing.T, name string) map[string]string {
	t.Helper()
	levels, err := p.oracle.HGetAll(t.Context(), name).Result()
	require.NoError(t, err)
	return levels
}

// end is when the store lets the lock go if nobody renews it.
func (p *pair) end(t *testing.T, name string) time.Time {
	t.Helper()
	at, err := p.oracle.PExpireTime(t.Context(), name).Result()
	require.NoError(t, err)
	require.Positive(t, at, "%q has no end", name)
	return time.UnixMilli(at.Milliseconds())
}

func owner(t *testing.T, thread peer.Thread) string {
	t.Helper()
	id, err := thread.Owner(t.Context())
	require.NoError(t, err)
	return id
}

// soon bounds everything a test waits for.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func hold(t *testing.T, m recipes.Locker, opts ...recipes.LockOption) *recipes.Hold {
	t.Helper()
	h, err := m.Lock(soon(t), opts...)
	require.NoError(t, err)
	return h
}

// refused says that neither language lets anybody in beside the holder.
func (p *pair) refused(t *testing.T, name string) {
	t.Helper()
	_, err := p.mutex(name).TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	got, err := p.thread("intruder", name).TryLock(t.Context(), peer.NoWait, peer.Watchdog)
	require.NoError(t, err)
	require.False(t, got)
}
