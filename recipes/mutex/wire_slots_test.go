package mutex_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// slotNames: apart are names whose key and helpers a cluster would put into
// different slots, so that no script can touch both. On one server they are
// names like any other.
var slotNames = []struct {
	name  string
	apart bool
}{
	{"a", false},
	{"{a}", false},
	{"x{y}z", false},
	{"x{y}z:w", false},
	{"a:b", false},
	{"a b", false},
	{"ключ", false},
	{"ü€{t}ß", false},
	{"{a", true},
	{"a{b", true},
	{"{", true},
	{"}", true},
	{"x}y", true},
	{"{}a", true},
	{"{}q", true},
	{"{}{b}", true},
	{"f47ac10b-58cc-4372-a567-0e02b2c3d479:1", false},
	{":rwlock_timeout:", false},
	{`.*[a-z]+\d$`, false},
	{strings.Repeat("n", 1024), false},
}

func TestClusterRefusesNamesThatFallApart(t *testing.T) {
	nodes := stores.Cluster(t)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
	defer rdb.Close()
	c := closing(t, rdb)
	for _, n := range slotNames {
		if !n.apart {
			continue
		}
		for _, opts := range [][]mutex.RedisOption{nil, {mutex.Fenced()}, {mutex.Plain()}} {
			m := mutex.NewRedis(c, n.name, opts...)
			_, err := m.Lock(t.Context())
			require.ErrorIs(t, err, recipes.ErrInvalid, n.name)
			_, err = m.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrInvalid, n.name)
			require.ErrorContains(t, err, "slot")
			_, err = m.Inspect(t.Context())
			require.ErrorIs(t, err, recipes.ErrInvalid, n.name)
			err = m.ForceRelease(t.Context(), recipes.Holder{ID: "somebody"})
			require.ErrorIs(t, err, recipes.ErrInvalid, n.name)
		}
	}
	for _, s := range nodes.Primaries() {
		stats := s.Client(t).Info(t.Context(), "commandstats").Val()
		require.NotContains(t, stats, "cmdstat_eval", "a script was sent for a name that was refused")
	}
	for _, n := range slotNames {
		if !n.apart {
			worksThrough(t, c, n.name)
		}
	}
}

func TestOneServerTakesEveryName(t *testing.T) {
	s := stores.Shared(t)
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr()})
	defer rdb.Close()
	c := closing(t, rdb, rediscore.WithNamespace("ns{1:"))
	for _, n := range slotNames {
		if len(n.name) < 1000 {
			worksThrough(t, c, n.name)
		}
	}
}

// TestNamespaceCountsForTheSlot: the key is what falls into a slot, so a prefix
// can set right what is wrong with a name, and the reverse.
func TestNamespaceCountsForTheSlot(t *testing.T) {
	nodes := stores.Cluster(t)
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
	defer rdb.Close()
	tagged := closing(t, rdb, rediscore.WithNamespace("{ns}:"))
	for _, n := range slotNames {
		if len(n.name) < 1000 {
			worksThrough(t, tagged, n.name)
		}
	}
	_, err := mutex.NewRedis(closing(t, rdb, rediscore.WithNamespace("ns}")), "a").Lock(t.Context())
	require.ErrorIs(t, err, recipes.ErrInvalid)
}

// worksThrough locks, re-enters, extends, looks and releases.
func worksThrough(t *testing.T, c *rediscore.Client, name string) {
	t.Helper()
	m := mutex.NewRedis(c, name, mutex.Fenced())
	h, err := m.Lock(t.Context(), recipes.WithLease(time.Minute))
	require.NoError(t, err, name)
	deeper, err := m.Lock(h.Context(t.Context()))
	require.NoError(t, err, name)
	require.NoError(t, h.Extend(t.Context(), 0), name)
	s, err := m.Inspect(t.Context())
	require.NoError(t, err, name)
	require.Equal(t, 2, s.Holders[0].Count)
	require.NoError(t, deeper.Release(t.Context()), name)
	require.NoError(t, h.Release(t.Context()), name)
}

// closing is a client that is closed with the test.
func closing(t *testing.T, rdb redis.UniversalClient, opts ...rediscore.Option) *rediscore.Client {
	t.Helper()
	c, err := goredis.New(rdb, opts...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, c.Close(ctx))
	})
	return c
}
