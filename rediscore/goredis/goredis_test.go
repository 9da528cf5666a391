package goredis

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }

func TestClientsThatCannotKeepAPromiseAreRefused(t *testing.T) {
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	defer func() { _ = ring.Close() }()
	_, err := New(ring)
	require.ErrorIs(t, err, recipes.ErrInvalid)
	require.Panics(t, func() { _, _ = New(nil) })
	require.Panics(t, func() { _, _ = New((*redis.Client)(nil)) })
	require.Panics(t, func() { _, _ = New((*redis.ClusterClient)(nil)) })
}

func TestBadOptionIsAnErrorAtOnce(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = rdb.Close() }()
	for _, bad := range []rediscore.Option{
		rediscore.WithWatchdogLease(0), rediscore.WithWatchdogLease(99 * time.Millisecond),
		rediscore.WithWatchdogLease(1<<63 - 1), rediscore.WithWatchdogLease(-1),
		rediscore.WithReplicas(-1), rediscore.WithSignals(9), rediscore.WithFairWait(1),
		rediscore.WithReleaseBudget(0), rediscore.WithClockRate(0.6), rediscore.WithClockRate(-1),
		rediscore.WithNamespace("a\x00b"), rediscore.WithLogger(nil), rediscore.WithObserver(nil),
	} {
		_, err := New(rdb, bad)
		require.ErrorIs(t, err, recipes.ErrInvalid)
	}
}

// wrapped is a type of a user's own around a client.
type wrapped struct{ redis.UniversalClient }

func TestClientOfATypeOfItsOwnIsUsedAsItIs(t *testing.T) {
	server := stores.Shared(t)
	dial := func() *mutex.Mutex {
		rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
		c, err := New(wrapped{rdb}, rediscore.WithWatchdogLease(time.Second))
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, c.Close(context.Background()))
			require.NoError(t, rdb.Close())
		})
		return mutex.NewRedis(c, "wrapped")
	}
	a, b := dial(), dial()
	h, err := a.Lock(t.Context())
	require.NoError(t, err)
	_, err = b.TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	got := make(chan error, 1)
	go func() {
		h, err := b.Lock(t.Context())
		if err == nil {
			err = h.Release(t.Context())
		}
		got <- err
	}()
	<-time.After(2500 * time.Millisecond) // two leases
	require.NoError(t, h.Err())
	require.NoError(t, h.Release(t.Context()))
	require.NoError(t, <-got)
}

func TestRedirectionIsReadFromTheError(t *testing.T) {
	for text, want := range map[string][2]string{
		"MOVED 3999 127.0.0.1:6381": {"MOVED", "127.0.0.1:6381"},
		"ASK 3999 [::1]:6381":       {"ASK", "[::1]:6381"},
		"MOVED 3999 :6381":          {},
		"MOVED 3999":                {},
		"ERR MOVED 1 2":             {},
	} {
		kind, addr := redirection(&rediscore.ServerError{Text: text})
		require.Equal(t, want, [2]string{kind, addr}, text)
	}
	kind, _ := redirection(nil)
	require.Empty(t, kind)
}

func TestWhatWasNeverSentIsKnown(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for err, want := range map[error]bool{
		dial: true, redis.ErrPoolTimeout: true, redis.ErrClosed: true,
		&net.DNSError{}: true,
		&net.OpError{Op: "read", Err: net.ErrClosed}: false,
		context.DeadlineExceeded:                     false,
		errors.New("anything"):                       false,
	} {
		require.Equal(t, want, unsent(err), err)
	}
}

func TestRefusedConnectionWasNeverSent(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer func() { _ = rdb.Close() }()
	conn, err := connect(rdb)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	for _, cmds := range [][]rediscore.Cmd{{{"GET", "x"}}, {{"GET", "x"}, {"WAIT", 1, 1}}} {
		_, err = conn.Do(t.Context(), "x", cmds...)
		var send *rediscore.SendError
		require.ErrorAs(t, err, &send)
		require.False(t, send.Sent)
		require.ErrorContains(t, err, "dial tcp 127.0.0.1:1")
	}
}

func TestInfoIsRead(t *testing.T) {
	s := parseInfo("# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\nuptime_in_seconds:90\r\nconnected_slaves:2\r\ncluster_enabled:1\r\nnonsense\r\n")
	require.Equal(t, rediscore.Shape{Version: "7.0.15", RunID: "abc", Uptime: 90 * time.Second, Replicas: 2, Cluster: true}, s)
	require.Equal(t, rediscore.Shape{}, parseInfo(""))
}
