package mutex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

// BL-13: what another recipe, or somebody else, keeps at the name is a
// conflict and stays as it is, byte for byte.
func TestBL13DataOfOthersIsAConflict(t *testing.T) {
	t.Parallel()
	shapes := map[string][]any{
		"read-write lock": {"HSET", "", "mode", "read", "u:1", 1},
		"string":          {"SET", "", "x"},
		"list":            {"RPUSH", "", "x"},
		"sorted set":      {"ZADD", "", 1, "x"},
		"set":             {"SADD", "", "x"},
	}
	for shape, cmd := range shapes {
		for _, layout := range []string{"default", "fenced", "plain"} {
			if shape == "string" && layout == "plain" || shape == "read-write lock" && layout == "plain" {
				continue
			}
			t.Run(shape+" under "+layout, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				write := append([]any{}, cmd...)
				write[1] = r.name
				require.NoError(t, r.oracle.Do(t.Context(), write...).Err())
				before, err := r.oracle.Dump(t.Context(), r.name).Result()
				require.NoError(t, err)
				m := mutexIn(t, connect(t, r.server.Addr()), r.name, layout)
				_, err = m.Lock(t.Context())
				require.ErrorIs(t, err, recipes.ErrConflict)
				require.ErrorContains(t, err, r.name[:20])
				_, err = m.TryLock(t.Context())
				require.ErrorIs(t, err, recipes.ErrConflict)
				_, err = m.Inspect(t.Context())
				require.ErrorIs(t, err, recipes.ErrConflict)
				require.ErrorIs(t, m.ForceRelease(t.Context(), recipes.Holder{ID: "u:2"}), recipes.ErrNotHeld)
				after, err := r.oracle.Dump(t.Context(), r.name).Result()
				require.NoError(t, err)
				require.Equal(t, before, after)
			})
		}
	}
}

func mutexIn(t *testing.T, c *rediscore.Client, name, layout string) *mutex.Mutex {
	t.Helper()
	switch layout {
	case "fenced":
		return mutex.NewRedis(c, name, mutex.Fenced())
	case "plain":
		return mutex.NewRedis(c, name, mutex.Plain())
	}
	return mutex.NewRedis(c, name)
}

// Data that makes no sense is somebody's hold, or a typed error; never a panic.
func TestStoredNonsenseIsSurvived(t *testing.T) {
	t.Parallel()
	for i, fields := range [][]any{
		{"u:1", "-5"}, {"u:1", "99999999999999999999"}, {"u:1", "many"}, {"", ""}, {"a", 1, "b", 2, "c", "x"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			require.NoError(t, r.oracle.HSet(t.Context(), r.name, fields...).Err())
			m := r.straight()
			_, err := m.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			s, err := m.Inspect(t.Context())
			require.NoError(t, err)
			require.Len(t, s.Holders, len(fields)/2)
			require.Negative(t, s.Holders[0].TTL)
		})
	}
}

// BL-81: scripts that a server has forgotten are sent again, and each takes
// effect once.
func TestBL81ForgottenScriptsAreSentAgain(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	m := r.straight()
	flush := func() { require.NoError(t, r.oracle.ScriptFlush(t.Context()).Err()) }
	flush()
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	flush()
	inner, err := m.Lock(h.Context(t.Context()))
	require.NoError(t, err)
	require.Equal(t, map[string]string{h.Owner(): "2"}, r.levels())
	flush()
	release(t, inner)
	end := time.Now().Add(2 * lease)
	eventually(t, "renewed through flushes", func() bool { flush(); return time.Now().After(end) })
	require.NoError(t, h.Err())
	flush()
	release(t, h)
	require.Empty(t, r.levels())
}

// BL-82: an evicted lock is a lost one; with a full memory an acquire fails
// whole and a release works.
func TestBL82EvictedLockIsLost(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t, stores.WithConfig("maxmemory 3mb", "maxmemory-policy allkeys-lru")))
	h, err := r.straight(withLease(3 * time.Second)).Lock(t.Context())
	require.NoError(t, err)
	stuff := strings.Repeat("x", 1000)
	for i := 0; len(r.levels()) > 0; i++ {
		require.Less(t, i, 100000, "never evicted")
		require.NoError(t, r.oracle.Set(t.Context(), fmt.Sprint("k", i), stuff, 0).Err())
	}
	lostBy(t, h, h.Context(t.Context()), time.Second+slack)
	require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Err()))
}

func TestBL82FullMemoryRefusesWholeAndReleases(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t, stores.WithConfig("maxmemory 3mb", "maxmemory-policy noeviction")))
	c := connect(t, r.server.Addr(), withLease(30*time.Second))
	for _, layout := range []string{"default", "fenced", "plain"} {
		m := mutexIn(t, c, r.name, layout)
		h, err := m.Lock(t.Context())
		require.NoError(t, err)
		fill(t, r)
		_, err = mutexIn(t, c, r.name+"2", layout).Lock(t.Context())
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.ErrorContains(t, err, "OOM")
		n, err := r.oracle.Exists(t.Context(), r.name+"2", "redisson_lock_token:{"+r.name+"2}").Result()
		require.NoError(t, err)
		require.Zero(t, n)
		release(t, h)
		n, err = r.oracle.Exists(t.Context(), r.name).Result()
		require.NoError(t, err)
		require.Zero(t, n)
		r.server.FlushAll(t)
	}
}

// fill leaves no room in the server: what it counts varies a little with its
// clients' buffers, so the last bytes take some tries.
func fill(t *testing.T, r *rig) {
	t.Helper()
	for _, size := range []int{1000, 100, 1, 1, 1} {
		for i, refused := 0, 0; refused < 20; i++ {
			require.Less(t, i, 100000)
			if r.oracle.Append(t.Context(), fmt.Sprint("k", size, ":", i), strings.Repeat("x", size)).Err() != nil {
				refused++
			}
		}
	}
}

// BL-79, BL-80: a grant that too few replicas acknowledge is no grant and
// leaves nothing.
func TestBL79GrantWithTooFewReplicasIsUndone(t *testing.T) {
	t.Parallel()
	pair := stores.Replica(t)
	r := rigOn(t, pair.Primary)
	c := connect(t, pair.Primary.Addr(), rediscore.WithReplicas(1), withLease(3*time.Second))
	m := mutex.NewRedis(c, r.name)
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	release(t, h)
	require.NoError(t, pair.Replica.Pause())
	_, err = m.TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorContains(t, err, "0 of 1 replicas")
	r.free(soon + slack)
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := m.Lock(t.Context()); err == nil {
			got <- h
		}
	}()
	eventually(t, "Lock has been refused once", func() bool { return len(r.levels()) > 0 })
	require.NoError(t, pair.Replica.Resume())
	release(t, <-got)
	r.free(slack)
}

func TestBL80UnknownWaitIsAClearError(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.broken(rediscore.WithReplicas(1))
	r.proxy.OnEveryRequest(faultproxy.Named("WAIT"), faultproxy.ReplyError("ERR unknown command 'WAIT'"))
	_, err := m.Lock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorContains(t, err, "unknown command 'WAIT'")
	r.free(soon + slack)
}

// H-08: a lost fence counter goes on above all that was handed out.
func TestFenceGrowsAfterItsCounterWasLost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := mutex.NewRedis(connect(t, r.server.Addr()), r.name, mutex.Fenced())
	last := int64(0)
	for range 5 {
		h, err := m.Lock(t.Context())
		require.NoError(t, err)
		token, ok := h.Fence()
		require.True(t, ok)
		require.Greater(t, token, last)
		last = token
		release(t, h)
		require.NoError(t, r.oracle.Del(t.Context(), "redisson_lock_token:{"+r.name+"}").Err())
	}
}
