package mutex_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance/golden"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

// deviation is a difference from the recorded states, made on purpose.
type deviation struct {
	step, why string
	change    func(p *play, want *golden.Seen)
}

func leaseOf(lease time.Duration) func(*play, *golden.Seen) {
	return func(_ *play, want *golden.Seen) {
		k := want.State["N"]
		k.TTL = golden.TTL{Min: lease - 250*time.Millisecond, Max: lease}
		want.State["N"] = k
	}
}

const (
	ownLevel = "the lease of an inner level is its own: it never changes that of the outermost, at re-entry or release"
	raised   = "an eviction raises the fence, so that what the evicted holder still writes is refused"
)

var deviations = []deviation{
	{"lock.leased/A.t1 tryLock(0,8000) re-entry", ownLevel, leaseOf(10 * time.Second)},
	{"lock.leased/A.t1 tryLock(0,9000) re-entry", ownLevel, leaseOf(10 * time.Second)},
	{"lock.leased/A.t1 unlock 3->2", ownLevel, leaseOf(10 * time.Second)},
	{"lock.leased/A.t1 unlock 2->1", ownLevel, leaseOf(10 * time.Second)},
	{"fenced.tokens/A.t1 tryLockAndGetToken(0,5000) re-entry", ownLevel, leaseOf(3 * time.Second)},
	{"fenced.tokens/A.t1 getToken", ownLevel, leaseOf(3 * time.Second)},
	{"fenced.tokens/B.t1 tryLockAndGetToken(300) refused", ownLevel, leaseOf(3 * time.Second)},
	{"fenced.tokens/A.t1 unlock 2->1", ownLevel, leaseOf(3 * time.Second)},
	{"fenced.force/B.t1 forceUnlock present", raised, func(p *play, _ *golden.Seen) { p.evicted() }},
}

func TestMutexLeavesWhatRedissonLeaves(t *testing.T) {
	for _, file := range []string{"lock", "fenced", "plain"} {
		g := golden.Load(t, "testdata/wire/"+file+".json")
		for _, s := range g.Scenarios {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				p := newPlay(t, g, file)
				for _, step := range s.Steps {
					p.step(s.ID, step)
				}
				p.end()
			})
		}
	}
}

func TestEveryDeviationIsOfARecordedStep(t *testing.T) {
	recorded := map[string]bool{}
	for _, file := range []string{"lock", "fenced", "plain"} {
		for _, s := range golden.Load(t, "testdata/wire/"+file+".json").Scenarios {
			for _, step := range s.Steps {
				recorded[s.ID+"/"+step.Do] = true
			}
		}
	}
	for _, d := range deviations {
		require.True(t, recorded[d.step], d.step)
		require.NotEmpty(t, d.why)
	}
}

// TestNamesOfHelpersAreRedissons: the channel is in the message of a release.
func TestNamesOfHelpersAreRedissons(t *testing.T) {
	w := golden.NewWatch(t)
	c := redisClient(t, w)
	held := map[string]*recipes.Hold{}
	for _, step := range golden.Load(t, "testdata/wire/names.json").Scenarios[0].Steps {
		want := step.Only(t)
		name, unlock := strings.CutPrefix(step.Do, "lock unlock ")
		if unlock {
			require.NoError(t, held[name].Release(t.Context()))
		} else {
			name = strings.TrimPrefix(step.Do, "lock ")
			h, err := mutex.NewRedis(c, name).Lock(t.Context(), recipes.WithLease(5*time.Second))
			require.NoError(t, err)
			held[name] = h
		}
		want = want.Rename(strings.NewReplacer("<A.t1>", held[name].Owner()))
		golden.Compare(t, want.State, w.State(), nil)
		require.Equal(t, append([][2]string(nil), want.Messages...), w.Messages(), step.Do)
	}
}

func TestFenceStartsAtTheServersTime(t *testing.T) {
	w := golden.NewWatch(t)
	now, err := w.Client.Time(t.Context()).Result()
	require.NoError(t, err)
	m := mutex.NewRedis(redisClient(t, w), "N", mutex.Fenced())
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	first, ok := h.Fence()
	require.True(t, ok)
	require.WithinDuration(t, now, time.UnixMicro(first), 10*time.Second)
	require.Equal(t, first, number(t, w.Client, "redisson_lock_token:{N}"))
	require.NoError(t, h.Release(t.Context()))

	require.NoError(t, w.Client.Set(t.Context(), "redisson_lock_token:{N}", "41", 0).Err())
	h, err = m.Lock(t.Context())
	require.NoError(t, err)
	next, _ := h.Fence()
	require.EqualValues(t, 42, next, "a counter that is there counts on, as Java made it")
	require.NoError(t, h.Release(t.Context()))
}

// Another library's way with the plain layout, in the commands that the Redis
// documentation gives.
func TestPlainLayoutIsTheDocumentedOne(t *testing.T) {
	w := golden.NewWatch(t)
	ctx := t.Context()
	m := mutex.NewRedis(redisClient(t, w), "N", mutex.Plain())
	compareAndDelete := redis.NewScript(`if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`)

	require.True(t, w.Client.SetNX(ctx, "N", "theirs", 30*time.Second).Val())
	_, err := m.TryLock(ctx)
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	s, err := m.Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, "theirs", s.Holders[0].ID)
	got := make(chan *recipes.Hold, 1)
	go func() {
		h, err := m.Lock(ctx)
		if err == nil {
			got <- h
		}
	}()
	require.EqualValues(t, 1, compareAndDelete.Run(ctx, w.Client, []string{"N"}, "theirs").Val())
	var h *recipes.Hold
	select {
	case h = <-got: // although nobody told it
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the waiter does not look by itself")
	}

	require.False(t, w.Client.SetNX(ctx, "N", "theirs", 30*time.Second).Val())
	require.EqualValues(t, 0, compareAndDelete.Run(ctx, w.Client, []string{"N"}, "theirs").Val())
	require.EqualValues(t, 1, compareAndDelete.Run(ctx, w.Client, []string{"N"}, h.Owner()).Val())
	require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)
}

func redisClient(t *testing.T, w *golden.Watch, opts ...rediscore.Option) *rediscore.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: w.Server.Addr()})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	return closing(t, rdb, append([]rediscore.Option{rediscore.WithWatchdogLease(3 * time.Second)}, opts...)...)
}

func number(t *testing.T, c *redis.Client, key string) int64 {
	t.Helper()
	n, err := c.Get(t.Context(), key).Int64()
	require.NoError(t, err)
	return n
}

// ownerID is Redisson's: a version-4 UUID and a number.
var ownerID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:[1-9][0-9]*$`)
