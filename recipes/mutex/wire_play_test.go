package mutex_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance/golden"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

// play takes the recorded steps of a scenario with the mutex. Its actors are
// the recorded ones, "A.t1" a holder at client A.
type play struct {
	*golden.Watch
	mutexes map[string]*mutex.Mutex // by client
	holds   map[string][]*recipes.Hold
	last    map[string]*recipes.Hold // released ones too
	waits   map[string]chan error
	most    map[string]time.Duration // TTLs a key can have had by now
	fenced  bool
	token   int64 // what the fence counter must show

	mu      sync.Mutex
	waiting int
}

func newPlay(t *testing.T, g golden.File, layout string) *play {
	p := &play{
		Watch: golden.NewWatch(t), mutexes: map[string]*mutex.Mutex{},
		holds: map[string][]*recipes.Hold{}, last: map[string]*recipes.Hold{},
		waits: map[string]chan error{}, fenced: layout == "fenced",
	}
	opts := map[string][]mutex.RedisOption{"fenced": {mutex.Fenced()}, "plain": {mutex.Plain()}}[layout]
	for _, name := range []string{"A", "B"} {
		c := redisClient(t, p.Watch, rediscore.WithObserver(p),
			rediscore.WithWatchdogLease(time.Duration(g.WatchdogMS)*time.Millisecond))
		p.mutexes[name] = mutex.NewRedis(c, "N", opts...)
	}
	return p
}

// Observe counts who had to wait.
func (p *play) Observe(e recipes.Event) {
	if e.Kind == recipes.EventWaiting {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting++
	}
}

func (p *play) anyWaits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting > 0
}

var (
	action = regexp.MustCompile(`^([AB])\.(t\d) (\w+)(?:\((\d*),?(\d*)\))?(.*)$`)
	wakes  = regexp.MustCompile(`-> (\S+) wakes`)
)

// step does it, then compares all keys and messages.
func (p *play) step(scenario string, s golden.Step) {
	p.Helper()
	want := s.Only(p.T)
	switch m := action.FindStringSubmatch(s.Do); {
	case m != nil:
		p.act(m[1], m[1]+"."+m[2], m[3], millis(m[4]), millis(m[5]), m[6], want.Result)
	case strings.HasPrefix(s.Do, "2.5 s later"):
		<-time.After(2500 * time.Millisecond)
		require.NoError(p, p.last["A.t1"].Err())
	case strings.HasPrefix(s.Do, "hash deleted by hand"):
		require.NoError(p, p.Client.Del(p.Context(), "N").Err())
		<-p.last["A.t1"].Done()
	default:
		require.FailNow(p, "an unknown step", s.Do)
	}
	for _, d := range deviations {
		if d.step == scenario+"/"+s.Do {
			d.change(p, &want)
		}
	}
	p.compare(s.Do, want)
}

func millis(s string) time.Duration {
	n, _ := strconv.Atoi(s)
	return time.Duration(n) * time.Millisecond
}

func (p *play) act(client, actor, method string, wait, lease time.Duration, more string, result map[string]any) {
	p.Helper()
	switch method {
	case "tryLock", "tryLockAndGetToken":
		p.try(client, actor, wait, lease, fmt.Sprint(result["ok"]))
	case "lock", "lockAndGetToken":
		// The one argument of lock is the lease.
		p.lock(client, actor, wait, strings.HasPrefix(more, " blocks"))
	case "unlock":
		p.unlock(actor, result["error"] != nil)
		if m := wakes.FindStringSubmatch(more); m != nil {
			require.NoError(p, <-p.waits[m[1]])
		}
	case "forceUnlock":
		p.force(client, result["ok"] == "true")
	case "isLocked", "isHeldByCurrentThread", "getHoldCount", "remainTimeToLive", "getToken":
		p.inspect(client, actor, method, result)
	default:
		require.FailNow(p, "an unknown method", method)
	}
}

func (p *play) try(client, actor string, wait, lease time.Duration, ok string) {
	p.Helper()
	opts := []recipes.LockOption{recipes.WithWait(wait)}
	if lease > 0 {
		opts = append(opts, recipes.WithLease(lease))
	}
	ctx := p.Context()
	if held := p.holds[actor]; len(held) > 0 {
		ctx = held[len(held)-1].Context(ctx)
	}
	h, err := p.mutexes[client].Lock(ctx, opts...)
	if ok == "false" || ok == "null" {
		require.ErrorIs(p, err, recipes.ErrNotAcquired)
		return
	}
	require.NoError(p, err)
	p.got(actor, h)
}

func (p *play) lock(client, actor string, lease time.Duration, blocks bool) {
	p.Helper()
	var opts []recipes.LockOption
	if lease > 0 {
		opts = append(opts, recipes.WithLease(lease))
	}
	done := make(chan error, 1)
	p.waits[actor] = done
	go func() {
		h, err := p.mutexes[client].Lock(p.Context(), opts...)
		if err == nil {
			p.got(actor, h)
		}
		done <- err
	}()
	if blocks {
		require.Eventually(p, p.anyWaits, 20*time.Second, time.Millisecond)
		require.Empty(p, done)
		return
	}
	require.NoError(p, <-done)
}

// got notes a hold: an actor's levels are one owner, and count one grant.
func (p *play) got(actor string, h *recipes.Hold) {
	if len(p.holds[actor]) == 0 {
		p.token, _ = h.Fence()
	}
	p.holds[actor] = append(p.holds[actor], h)
	p.last[actor] = h
}

func (p *play) unlock(actor string, fails bool) {
	p.Helper()
	if p.last[actor] == nil {
		return // one who holds nothing has nothing to release: no such call in Go
	}
	h := p.last[actor]
	if held := p.holds[actor]; len(held) > 0 {
		h = held[len(held)-1]
		p.holds[actor] = held[:len(held)-1]
	}
	if err := h.Release(p.Context()); fails {
		require.ErrorIs(p, err, recipes.ErrNotHeld)
	} else {
		require.NoError(p, err)
	}
}

// end releases what the recording leaves held.
func (p *play) end() {
	p.Helper()
	for _, held := range p.holds {
		for _, h := range held {
			if h.Err() == nil {
				require.NoError(p, h.Release(p.Context()))
			}
		}
	}
}

func (p *play) force(client string, works bool) {
	p.Helper()
	err := p.mutexes[client].ForceRelease(p.Context(), recipes.Holder{ID: p.last["A.t1"].Owner()})
	if works {
		require.NoError(p, err)
	} else {
		require.ErrorIs(p, err, recipes.ErrNotHeld)
	}
}

// evicted: the counter goes up without a grant.
func (p *play) evicted() { p.token++ }

func (p *play) inspect(client, actor, method string, result map[string]any) {
	p.Helper()
	s, err := p.mutexes[client].Inspect(p.Context())
	require.NoError(p, err)
	if len(s.Holders) == 0 {
		require.Equal(p, "-2", result["ok"])
		return
	}
	h := s.Holders[0]
	switch method {
	case "getHoldCount":
		require.Equal(p, result["ok"], strconv.Itoa(h.Count))
	case "remainTimeToLive":
		require.Positive(p, h.TTL)
		require.LessOrEqual(p, h.TTL, p.most["N"])
	case "getToken":
		require.Equal(p, p.token, h.Fence)
	default:
		require.Equal(p, p.last[actor].Owner(), h.ID)
	}
}

const counter = "redisson_lock_token:{N}"

func (p *play) compare(do string, want golden.Seen) {
	p.Helper()
	var names []string
	for actor, h := range p.last {
		require.Regexp(p, ownerID, h.Owner())
		names = append(names, "<"+actor+">", h.Owner())
	}
	want = want.Rename(strings.NewReplacer(names...))
	if k, ok := want.State[counter]; ok {
		// The numbers are ours: they start at the server's time, and only a
		// grant takes one, re-entry does not.
		require.True(p, p.fenced)
		k.Value = strconv.FormatInt(p.token, 10)
		want.State[counter] = k
	}
	most := map[string]time.Duration{}
	for name, k := range want.State {
		most[name] = max(p.most[name], k.TTL.Max)
	}
	p.most = most
	golden.Compare(p.T, want.State, p.State(), most)
	require.Equal(p, append([][2]string(nil), want.Messages...), p.Messages(), do)
}
