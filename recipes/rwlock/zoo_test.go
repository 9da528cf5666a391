package rwlock_test

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/recipes/rwlock"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

const zooSession = 2 * time.Second

// zooRig is a real server, and an oracle that looks at the raw nodes.
type zooRig struct {
	t      *testing.T
	server *stores.ZooServer
	oracle *zk.Conn
	path   string
	opts   []rwlock.ZooKeeperOption
}

// onZoo runs a test in both layouts.
func onZoo(t *testing.T, f func(t *testing.T, r *zooRig)) {
	for name, opts := range map[string][]rwlock.ZooKeeperOption{"curator": nil, "host nodes": {rwlock.HostNodes()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := stores.SharedZooKeeper(t)
			f(t, &zooRig{
				t: t, server: server, oracle: server.Client(t), opts: opts,
				path: "/" + strings.NewReplacer(" ", "_", "/", "_").Replace(t.Name()),
			})
		})
	}
}

func (r *zooRig) client() *zkcore.Client {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := gozk.Connect(ctx, []string{r.server.Addr()}, zkcore.WithSessionTimeout(zooSession))
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c
}

// lock is the lock of the test in the hands of one more client.
func (r *zooRig) lock() *rwlock.RWLock { return rwlock.NewZooKeeper(r.client(), r.path, r.opts...) }

func (r *zooRig) children() []string {
	r.t.Helper()
	names, _, err := r.oracle.Children(r.path)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	require.NoError(r.t, err)
	sort.Slice(names, func(i, j int) bool { return names[i][len(names[i])-10:] < names[j][len(names[j])-10:] })
	return names
}

// queue starts a Lock, and returns when it stands in line.
func (r *zooRig) queue(l recipes.Locker) chan *recipes.Hold {
	r.t.Helper()
	before := len(r.children())
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := l.Lock(context.Background()); err == nil {
			got <- h
		}
	}()
	require.Eventually(r.t, func() bool { return len(r.children()) > before }, 10*time.Second, 2*time.Millisecond)
	return got
}

func take(t *testing.T, l recipes.Locker, ctx context.Context) *recipes.Hold {
	t.Helper()
	h, err := l.Lock(ctx)
	require.NoError(t, err)
	return h
}

func release(t *testing.T, h *recipes.Hold) {
	t.Helper()
	require.NoError(t, h.Release(t.Context()))
}

// none of them holds, now and a moment later.
func none(t *testing.T, waiting ...chan *recipes.Hold) {
	t.Helper()
	<-time.After(50 * time.Millisecond)
	for _, w := range waiting {
		require.Empty(t, w)
	}
}

// R0 R1 W2 R3 W4 R5, each of another client: readers hold together, a waiting
// writer holds back those behind it, and nobody overtakes.
func TestZooSidesAreServedInTheOrderTheyCame(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		r0, r1 := take(t, r.lock().Reader(), t.Context()), take(t, r.lock().Reader(), t.Context())
		w2, r3, w4, r5 := r.queue(r.lock()), r.queue(r.lock().Reader()), r.queue(r.lock()), r.queue(r.lock().Reader())
		none(t, w2, r3, w4, r5)
		release(t, r0)
		none(t, w2, r3, w4, r5)
		release(t, r1)
		h := <-w2
		none(t, r3, w4, r5)
		fence, ok := h.Fence()
		require.True(t, ok)
		release(t, h)
		h = <-r3
		none(t, w4, r5)
		token, _ := h.Fence()
		require.Greater(t, token, fence)
		release(t, h)
		release(t, <-w4)
		release(t, <-r5)
		require.Empty(t, r.children())
	})
}

func TestZooWriterThatReadsOnLetsNobodyWriteInBetween(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		l := r.lock()
		w := take(t, l, t.Context())
		next, reader := r.queue(r.lock()), r.queue(r.lock().Reader())
		side, err := l.RLock(w.Context(t.Context()))
		require.NoError(t, err)
		release(t, w)
		for range 3 { // longer than a session, and all must still be there
			<-time.After(zooSession / 2)
			none(t, next, reader)
			require.NoError(t, side.Err())
			require.NoError(t, side.Extend(t.Context(), 0))
		}
		_, err = l.Lock(side.Context(t.Context()))
		require.ErrorIs(t, err, recipes.ErrWouldDeadlock)
		release(t, side)
		h := <-next
		none(t, reader)
		release(t, h)
		release(t, <-reader)
		require.Empty(t, r.children())
	})
}

// BL-100: a writer and readers of many clients, at random; no reader beside a
// writer, no two writers.
func TestZooBL100NoReaderBesideAWriter(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		var readers, writers, both, reads, writes atomic.Int64
		done := make(chan error, 12)
		for i := range 12 {
			l := r.lock()
			go func() {
				for n := range 12 {
					ctx := context.Background()
					err := error(nil)
					var h *recipes.Hold
					if (i+n)%4 == 0 {
						if h, err = l.Lock(ctx); err == nil {
							if writers.Add(1) > 1 || readers.Load() > 0 {
								both.Add(1)
							}
							writes.Add(1)
							<-time.After(time.Millisecond)
							writers.Add(-1)
						}
					} else if h, err = l.RLock(ctx); err == nil {
						readers.Add(1)
						if writers.Load() > 0 {
							both.Add(1)
						}
						reads.Add(1)
						<-time.After(time.Millisecond)
						readers.Add(-1)
					}
					if err == nil {
						err = h.Release(ctx)
					}
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range 12 {
			require.NoError(t, <-done)
		}
		t.Logf("%d reads, %d writes", reads.Load(), writes.Load())
		require.Zero(t, both.Load())
		require.Empty(t, r.children())
	})
}

func TestZooCancelledWaitersOfBothSidesLeaveNothing(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		l, other := r.lock(), r.lock()
		w := take(t, l, t.Context())
		for _, side := range []recipes.Locker{other, other.Reader()} {
			_, err := side.Lock(t.Context(), recipes.WithWait(time.Second))
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			_, err = side.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
		}
		require.Eventually(t, func() bool { return len(r.children()) == 1 }, 5*time.Second, 2*time.Millisecond)
		release(t, w)
	})
}

func TestZooDeletedReadSideIsNoticed(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		l := r.lock()
		w := take(t, l, t.Context())
		side, err := l.RLock(w.Context(t.Context()))
		require.NoError(t, err)
		release(t, w)
		<-time.After(300 * time.Millisecond) // old enough to be watched
		require.NoError(t, side.Err())
		require.NoError(t, r.oracle.Delete(r.path+"/"+r.children()[0], -1))
		select {
		case <-side.Done():
		case <-time.After(5 * time.Second):
			require.Fail(t, "not told")
		}
		require.ErrorIs(t, side.Err(), recipes.ErrLost)
		require.ErrorIs(t, side.Release(t.Context()), recipes.ErrLost)
	})
}

func TestZooOtherKindsOfLockOnThePathAreAConflict(t *testing.T) {
	t.Parallel()
	onZoo(t, func(t *testing.T, r *zooRig) {
		c := r.client()
		m := mutex.NewZooKeeper(c, r.path)
		l := rwlock.NewZooKeeper(c, r.path, r.opts...)
		h := take(t, m, t.Context())
		for _, call := range []func(context.Context, ...recipes.LockOption) (*recipes.Hold, error){l.Lock, l.RLock} {
			_, err := call(t.Context())
			require.ErrorIs(t, err, recipes.ErrConflict)
		}
		require.Eventually(t, func() bool { return len(r.children()) == 1 }, 5*time.Second, 2*time.Millisecond)
		release(t, h)
	})
}
