package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

const quick = 100 * time.Millisecond // how fast a signal should let a waiter in

// entry is how a Go waiter got in.
type entry struct {
	at    time.Time
	fence int64
	err   error
}

// waiting starts a Go Lock that lets go as soon as it is in.
func waiting(t *testing.T, m recipes.Locker) <-chan entry {
	t.Helper()
	in := make(chan entry, 1)
	go func() {
		h, err := m.Lock(t.Context())
		at := time.Now()
		if err != nil {
			in <- entry{err: err}
			return
		}
		fence, _ := h.Fence()
		in <- entry{at, fence, h.Release(t.Context())}
	}()
	return in
}

// entered waits until a Go waiter is in.
func entered(t *testing.T, in <-chan entry) entry {
	t.Helper()
	select {
	case e := <-in:
		require.NoError(t, e.err)
		return e
	case <-time.After(patience):
		require.Fail(t, "the Go waiter never got in")
		return entry{}
	}
}

func outside[T any](t *testing.T, call *peer.Call[T]) {
	t.Helper()
	select {
	case <-call.Done():
		require.Fail(t, "the Java waiter got in", "%v", call.Err(t.Context()))
	default:
	}
}

func channelOf(name string) string {
	if strings.Contains(name, "{") {
		return "redisson_lock__channel:" + name
	}
	return "redisson_lock__channel:{" + name + "}"
}

// listeners counts the processes that wait for the release of a lock.
func (p *pair) listeners(t *testing.T, name string) (n int64) {
	t.Helper()
	channel := channelOf(name)
	for _, node := range p.nodes {
		plain, err := node.PubSubNumSub(t.Context(), channel).Result()
		require.NoError(t, err)
		sharded, err := node.PubSubShardNumSub(t.Context(), channel).Result()
		require.NoError(t, err)
		n += plain[channel] + sharded[channel]
	}
	return n
}

// subscribed waits until n processes wait for the release, and have done what
// they do right after they have subscribed: ask once more.
func (p *pair) subscribed(t *testing.T, name string, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return p.listeners(t, name) >= n }, patience, 5*time.Millisecond)
	asked, still := p.asked(t), 0
	require.Eventually(t, func() bool {
		if now := p.asked(t); now != asked {
			asked, still = now, 0
		}
		still++
		return still > 4
	}, patience, 10*time.Millisecond)
}

// asked counts the requests for a lock that were refused: both languages' are
// told how long the holder's lease lasts. Renewals are not counted, of which
// some Redissons send a hundred a second once their threads have been busy.
func (p *pair) asked(t *testing.T) (n int64) {
	t.Helper()
	for _, node := range p.nodes {
		info, err := node.Info(t.Context(), "commandstats").Result()
		require.NoError(t, err)
		for line := range strings.Lines(info) {
			var calls int64
			if _, err := fmt.Sscanf(line, "cmdstat_pttl:calls=%d", &calls); err == nil {
				n += calls
			}
		}
	}
	return n
}

// ear hears the messages of one lock on a single server.
type ear struct {
	sub    *redis.PubSub
	oracle redis.UniversalClient
}

const marker = "marker"

func (p *pair) listen(t *testing.T, name string) *ear {
	t.Helper()
	e := &ear{p.oracle.Subscribe(t.Context(), channelOf(name), marker), p.oracle}
	t.Cleanup(func() { _ = e.sub.Close() })
	for range 2 {
		_, err := e.sub.Receive(t.Context())
		require.NoError(t, err)
	}
	return e
}

// messages are those that came before now: the server keeps their order, so
// what was published before the marker is heard before it.
func (e *ear) messages(t *testing.T) (heard []string) {
	t.Helper()
	require.NoError(t, e.oracle.Publish(t.Context(), marker, "").Err())
	for {
		m, err := e.sub.ReceiveMessage(soon(t))
		require.NoError(t, err)
		if m.Channel == marker {
			return heard
		}
		heard = append(heard, m.Payload)
	}
}

// figures are how long waiters took to get in.
type figures []time.Duration

func (f figures) String() string {
	slices.Sort(f)
	return fmt.Sprintf("median %v, worst %v, %d of %d under %v", f[len(f)/2].Round(time.Microsecond),
		f[len(f)-1].Round(time.Microsecond), f.quick(), len(f), quick)
}

func (f figures) quick() (n int) {
	for _, d := range f {
		if d < quick {
			n++
		}
	}
	return n
}

// bySignal says that it was a signal that let them in. The timers behind the
// signals go off after a second in Go, and at the end of the lease in Java.
func (f figures) bySignal(t *testing.T) {
	t.Helper()
	require.Less(t, slices.Max(f), time.Second)
	require.GreaterOrEqual(t, 4*f.quick(), 3*len(f), "%v", f)
}
