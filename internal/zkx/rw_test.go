package zkx_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/rwlock"
	"github.com/holdfast-go/holdfast/zkcore"
)

func rwLayouts(t *testing.T, f func(t *testing.T, f *fake, l *rwlock.RWLock)) {
	for name, opts := range map[string][]rwlock.ZooKeeperOption{"curator": nil, "host nodes": {rwlock.HostNodes()}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newFake()
				f(t, server, rwlock.NewZooKeeper(server.client(t), "/locks/orders", opts...))
			})
		})
	}
}

// started is a Lock on its way.
func started(l recipes.Locker, ctx context.Context) chan *recipes.Hold {
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := l.Lock(context.WithoutCancel(ctx)); err == nil {
			got <- h
		}
	}()
	synctest.Wait()
	return got
}

func ends(names []string) (out []string) {
	for _, n := range names {
		out = append(out, n[len(n)-10:])
	}
	slices.Sort(out)
	return out
}

func TestWriterThatReadsOnKeepsItsPlaceInTheLine(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		w := lock(t, l)
		nextWriter := started(l, t.Context())
		nextReader := started(l.Reader(), t.Context())
		r, err := l.RLock(w.Context(t.Context()))
		require.NoError(t, err)
		require.Equal(t, 2, r.Count())
		require.Equal(t, []string{"0000000000", "0000000000", "0000000001", "0000000002"}, ends(f.contenders()))
		wrote, _ := w.Fence()
		reads, _ := r.Fence()
		require.Equal(t, wrote, reads)
		deeper, err := l.RLock(r.Context(t.Context()))
		require.NoError(t, err)

		require.NoError(t, w.Release(t.Context()))
		sleep(5 * time.Second)
		require.NoError(t, r.Err())
		require.Empty(t, nextWriter)
		require.Empty(t, nextReader)
		_, err = l.TryLock(r.Context(t.Context()))
		require.ErrorIs(t, err, recipes.ErrWouldDeadlock)
		require.NoError(t, r.Extend(t.Context(), 0))

		require.NoError(t, r.Release(t.Context()))
		sleep(time.Second)
		require.Empty(t, nextWriter, "a level reads on")
		require.NoError(t, deeper.Release(t.Context()))
		h := <-nextWriter
		require.Empty(t, nextReader)
		require.NoError(t, h.Release(t.Context()))
		require.NoError(t, (<-nextReader).Release(t.Context()))
		require.Empty(t, f.contenders())
	})
}

func TestReadSideReleasedFirstLeavesTheWriter(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		w := lock(t, l)
		for range 2 { // each time a node of its own
			r, err := l.RLock(w.Context(t.Context()))
			require.NoError(t, err)
			require.Len(t, f.contenders(), 2)
			require.NoError(t, r.Release(t.Context()))
			require.Len(t, f.contenders(), 1)
			require.NoError(t, w.Err())
		}
		again, err := l.Lock(w.Context(t.Context()))
		require.NoError(t, err)
		require.NoError(t, w.Release(t.Context()))
		require.NoError(t, again.Err())
		require.NoError(t, again.Release(t.Context()))
		require.Empty(t, f.contenders())
	})
}

func TestReaderCannotBecomeTheWriter(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		r, err := l.RLock(t.Context())
		require.NoError(t, err)
		start := time.Now()
		for _, call := range []func(context.Context, ...recipes.LockOption) (*recipes.Hold, error){l.Lock, l.TryLock} {
			_, err = call(r.Context(t.Context()))
			require.ErrorIs(t, err, recipes.ErrWouldDeadlock)
			require.ErrorContains(t, err, "/locks/orders")
		}
		require.Zero(t, time.Since(start), "at once")
		require.NoError(t, r.Err())
		require.Len(t, f.contenders(), 1)
		require.NoError(t, r.Release(t.Context()))
	})
}

func TestReadersShareAndAWaitingWriterHoldsBackThoseBehind(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		other := rwlock.NewZooKeeper(f.client(t), "/locks/orders")
		if strings.Contains(t.Name(), "host") {
			other = rwlock.NewZooKeeper(f.client(t), "/locks/orders", rwlock.HostNodes())
		}
		a, err := l.RLock(t.Context())
		require.NoError(t, err)
		b, err := other.TryRLock(t.Context())
		require.NoError(t, err)
		w := started(l, t.Context())
		late := started(other.Reader(), t.Context())
		_, err = l.TryRLock(t.Context())
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.NoError(t, a.Release(t.Context()))
		sleep(2 * time.Second)
		require.Empty(t, w)
		require.NoError(t, b.Release(t.Context()))
		h := <-w
		require.Empty(t, late)
		require.NoError(t, h.Release(t.Context()))
		require.NoError(t, (<-late).Release(t.Context()))
		sleep(time.Second)
		require.Empty(t, f.contenders())
	})
}

// Of the read side, and of nodes whose name does not tell whose they are.
func TestLostRequestsOfBothSidesMakeOneNodeAtMost(t *testing.T) {
	for _, kind := range []zkcore.Kind{zkcore.Create, zkcore.Delete} {
		for n := 1; n <= 2; n++ {
			for _, fate := range []string{"request", "reply"} {
				rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
					require.NoError(t, lock(t, l).Release(t.Context()))
					f.losing(nth(kind, n, fate))
					w := lock(t, l)
					require.Len(t, f.contenders(), 1)
					r, err := l.RLock(w.Context(t.Context()))
					require.NoError(t, err)
					require.Len(t, f.contenders(), 2)
					require.NoError(t, w.Release(t.Context()))
					require.Len(t, f.contenders(), 1)
					require.NoError(t, r.Err())
					require.NoError(t, r.Release(t.Context()))
					sleep(time.Second)
					require.Empty(t, f.contenders())
				})
			}
		}
	}
}

func TestWriterLosesItsHoldWithEitherNode(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		w := lock(t, l)
		r, err := l.RLock(w.Context(t.Context()))
		require.NoError(t, err)
		require.NoError(t, w.Release(t.Context()))
		sleep(time.Second)
		f.mu.Lock()
		f.remove("/locks/orders/" + f.children("/locks/orders")[0])
		f.mu.Unlock()
		<-r.Done()
		lost(t, r.Err(), recipes.ReasonTaken)
		lost(t, r.Release(t.Context()), recipes.ReasonTaken)
		require.Empty(t, f.contenders())
	})
}

func TestInspectTellsTheSides(t *testing.T) {
	rwLayouts(t, func(t *testing.T, f *fake, l *rwlock.RWLock) {
		a, err := l.RLock(t.Context())
		require.NoError(t, err)
		b, err := l.RLock(t.Context())
		require.NoError(t, err)
		w := started(l, t.Context())
		st, err := l.Inspect(t.Context())
		require.NoError(t, err)
		require.Len(t, st.Holders, 2)
		require.Equal(t, "read", st.Holders[0].Kind)
		require.Equal(t, a.Owner(), st.Holders[0].ID)
		require.Len(t, st.Waiters, 1)
		require.Equal(t, "write", st.Waiters[0].Kind)
		require.NoError(t, l.ForceRelease(t.Context(), st.Holders[1]))
		<-b.Done()
		lost(t, b.Err(), recipes.ReasonTaken)
		require.NoError(t, a.Err(), "the other reader reads on")
		require.NoError(t, a.Release(t.Context()))
		h := <-w
		r, err := l.RLock(h.Context(t.Context()))
		require.NoError(t, err)
		st, err = l.Inspect(t.Context())
		require.NoError(t, err)
		require.Len(t, st.Holders, 2, "both sides of the writer")
		require.NoError(t, r.Release(t.Context()))
		require.NoError(t, h.Release(t.Context()))
	})
}

func TestHostNodesTellWhoseTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		l := rwlock.NewZooKeeper(f.client(t), "/locks/orders", rwlock.HostNodes())
		h, err := l.RLock(t.Context())
		require.NoError(t, err)
		host, err := os.Hostname()
		require.NoError(t, err)
		require.Equal(t, []string{host + "-R-0000000000"}, f.contenders())
		require.NoError(t, h.Release(t.Context()))
		w := lock(t, l)
		require.Equal(t, []string{host + "-W-0000000001"}, f.contenders())
		require.NoError(t, w.Release(t.Context()))
	})
}
