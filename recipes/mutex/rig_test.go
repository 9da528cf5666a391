package mutex_test

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

const (
	lease = 1500 * time.Millisecond
	soon  = 250 * time.Millisecond // plus what two busy cores take
	slack = 2 * time.Second
)

// rig is a real server, a proxy that breaks things in front of it, and an
// oracle that looks at the raw keys.
type rig struct {
	t      *testing.T
	server *stores.Server
	proxy  *faultproxy.Proxy
	oracle *redis.Client
	events *events // of the mutexes made by broken and straight
	name   string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return rigOn(t, stores.Shared(t))
}

func rigOn(t *testing.T, server *stores.Server) *rig {
	t.Helper()
	return &rig{t: t, server: server, proxy: faultproxy.New(t, server.Addr()), oracle: server.Client(t), events: &events{}, name: t.Name()}
}

// connect is a client of the server at addr, closed at the end of the test.
func connect(t *testing.T, addr string, opts ...rediscore.Option) *rediscore.Client {
	t.Helper()
	return clientOf(t, redis.NewClient(&redis.Options{Addr: addr}), opts...)
}

func clientOf(t *testing.T, rdb redis.UniversalClient, opts ...rediscore.Option) *rediscore.Client {
	t.Helper()
	c, err := goredis.New(rdb, append([]rediscore.Option{rediscore.WithWatchdogLease(lease)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = c.Close(ctx)
		_ = rdb.Close()
	})
	return c
}

func withLease(d time.Duration) rediscore.Option { return rediscore.WithWatchdogLease(d) }

func observing(o recipes.Observer) rediscore.Option { return rediscore.WithObserver(o) }

// broken is the mutex of the test through the proxy, straight the one beside it.
func (r *rig) broken(opts ...rediscore.Option) *mutex.Mutex {
	return mutex.NewRedis(connect(r.t, r.proxy.Addr(), append(opts, rediscore.WithObserver(r.events))...), r.name)
}

func (r *rig) straight(opts ...rediscore.Option) *mutex.Mutex {
	return mutex.NewRedis(connect(r.t, r.server.Addr(), append(opts, rediscore.WithObserver(r.events))...), r.name)
}

// wait starts a Lock of m, which broken or straight made, and returns when it
// stands in line; the function returned waits for its end.
func (r *rig) wait(ctx context.Context, m *mutex.Mutex, got chan<- *recipes.Hold) (end func() error) {
	r.t.Helper()
	before := r.events.count(recipes.EventWaiting)
	done := make(chan error, 1)
	go func() {
		h, err := m.Lock(ctx)
		if err == nil {
			got <- h
		}
		done <- err
	}()
	eventually(r.t, "in line", func() bool { return r.events.count(recipes.EventWaiting) > before })
	return func() error { return <-done }
}

// warm lets a client do what it does once, so that a test counts and breaks
// what comes after.
func (r *rig) warm(m *mutex.Mutex) *mutex.Mutex {
	r.t.Helper()
	h, err := m.Lock(r.t.Context())
	require.NoError(r.t, err)
	require.NoError(r.t, h.Release(r.t.Context()))
	return m
}

// levels is the raw hash at the test's name.
func (r *rig) levels() map[string]string {
	r.t.Helper()
	m, err := r.oracle.HGetAll(context.Background(), r.name).Result()
	require.NoError(r.t, err)
	return m
}

// marks are the marks of undone owners at the test's name.
func (r *rig) marks() []string {
	r.t.Helper()
	keys, err := r.oracle.Keys(context.Background(), "{"+r.name+"}:*:undone").Result()
	require.NoError(r.t, err)
	return keys
}

// wipe takes the marks away, before a next round.
func (r *rig) wipe() {
	r.t.Helper()
	if marks := r.marks(); len(marks) > 0 {
		require.NoError(r.t, r.oracle.Del(context.Background(), marks...).Err())
	}
}

// free waits until nothing is at the name.
func (r *rig) free(within time.Duration) {
	r.t.Helper()
	start := time.Now()
	require.Eventually(r.t, func() bool { return len(r.levels()) == 0 }, within, time.Millisecond, "the key stays")
	if took := time.Since(start); took > soon {
		r.t.Logf("the key was gone after %v", took)
	}
}

// runs matches requests that run one of the scripts of this folder.
func runs(t *testing.T, file string) faultproxy.Match {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	sum := sha1.Sum(source)
	hash := hex.EncodeToString(sum[:])
	return func(q faultproxy.Request) bool {
		return len(q.Args) > 1 && (q.Args[1] == hash || q.Args[1] == string(source))
	}
}

// renews matches the core's renewals.
func renews(t *testing.T) faultproxy.Match {
	return runs(t, filepath.Join("..", "..", "internal", "redisx", "renew.lua"))
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	require.Eventually(t, f, 10*time.Second, 5*time.Millisecond, what)
}

// pass lets real time go by, to outlive a lease; no test waits for an event
// with it.
func pass(d time.Duration) { <-time.After(d) }

// lockIn takes the lock within a time, as another client would.
func lockIn(t *testing.T, m *mutex.Mutex, d time.Duration) *recipes.Hold {
	t.Helper()
	h, err := m.Lock(t.Context(), recipes.WithWait(d))
	require.NoError(t, err)
	return h
}

func release(t *testing.T, h *recipes.Hold) {
	t.Helper()
	require.NoError(t, h.Release(t.Context()))
}

// commandsOf sums the calls of a server since CONFIG RESETSTAT, those inside
// scripts too.
func commandsOf(t *testing.T, rdb *redis.Client) map[string]int {
	t.Helper()
	info, err := rdb.Info(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	return parseCommandStats(info)
}

func parseCommandStats(info string) map[string]int {
	calls := make(map[string]int)
	for _, line := range strings.Split(info, "\r\n") {
		name, rest, ok := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if !ok || !strings.HasPrefix(line, "cmdstat_") {
			continue
		}
		n := 0
		for _, d := range rest {
			if d < '0' || d > '9' {
				break
			}
			n = n*10 + int(d-'0')
		}
		calls[name] += n
	}
	return calls
}
