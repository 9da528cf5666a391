package mutex_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// The counts below are promises, so these tests run alone on a server of their
// own.

func TestZooUncontendedPairIsTwoFlightsAndTwoLogWrites(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t))
	m := r.broken()
	release(t, lockIn(t, m, patience))
	const pairs = 100
	before := r.server.Zxid(t)
	r.tap.reset()
	for range pairs {
		h := lockIn(t, m, patience)
		inner, err := m.Lock(h.Context(t.Context()))
		require.NoError(t, err)
		release(t, inner) // re-entry asks nobody
		release(t, h)
	}
	writes := int(r.server.Zxid(t) - before)
	beats := r.tap.count("check")
	t.Logf("a pair: %d requests, %.2f log writes; %d of them found the list behind the create",
		(r.tap.count("create")+r.tap.count("list")+r.tap.count("delete"))/pairs, float64(writes-beats)/pairs, r.tap.together())
	require.Equal(t, pairs, r.tap.count("create"))
	require.Equal(t, pairs, r.tap.count("list"))
	require.Equal(t, pairs, r.tap.count("delete"))
	require.LessOrEqual(t, r.tap.count("get"), 2, "no watch on the critical path")
	require.GreaterOrEqual(t, r.tap.together(), pairs*9/10, "create and list are in one flight")
	require.InDelta(t, 2*pairs+beats, writes, 3)
}

func TestZooRefusedTryIsOneFlightAndADeleteBehind(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t))
	h := lockIn(t, r.straight(), patience)
	m := r.broken()
	r.tap.reset()
	const tries = 20
	for range tries {
		_, err := m.TryLock(t.Context())
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
	}
	eventually(t, "only the holder is left", func() bool { return len(r.children()) == 1 })
	require.Equal(t, tries, r.tap.count("create"))
	require.Equal(t, tries, r.tap.count("list"))
	require.Equal(t, tries, r.tap.count("delete"))
	require.Zero(t, r.tap.count("get"), "it leaves no watch")
	release(t, h)
}

// Each of 50 clients has a place of its own and watches the one before it.
func TestZooReleaseWakesOneWaiterAndFiftyWakeUpsServeFifty(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t))
	const waiters = 50
	front := lockIn(t, r.straight(), patience)
	got := make(chan *recipes.Hold, waiters)
	taps := make([]*tap, waiters)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range waiters {
		one := *r
		one.tap = newTap()
		taps[i] = one.tap
		m := one.broken()
		one.waiting(ctx, m, 1, got)
	}
	eventually(t, "all watch", func() bool { return r.server.Watches(t) >= waiters })
	places := r.children()
	release(t, front)
	wakes := func() (n int) {
		for _, x := range taps {
			n += x.woken()
		}
		return n
	}
	for i := range waiters {
		h := <-got
		require.Equal(t, places[i+1], h.Owner(), "in the order of the line")
		require.Equal(t, i+1, wakes(), "one wake-up for each release")
		release(t, h)
	}
	require.Equal(t, waiters, wakes())
}

// Claims of one session pass the lock on without a watch and without a list: a
// create with its list, and a delete with a look at the heir.
func TestZooHotLineOfOneProcessCostsTwoFlightsATurn(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t))
	m := r.broken()
	release(t, lockIn(t, m, patience))
	const workers, rounds = 16, 25
	r.tap.reset()
	done := make(chan error, workers)
	for range workers {
		go func() {
			for range rounds {
				h, err := m.Lock(t.Context())
				if err == nil {
					err = h.Release(t.Context())
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range workers {
		require.NoError(t, <-done)
	}
	turns := workers * rounds
	all := r.tap.count("create") + r.tap.count("list") + r.tap.count("delete") + r.tap.count("get")
	t.Logf("%.2f requests a turn, %d watches", float64(all)/float64(turns), r.tap.count("get"))
	require.Less(t, all, turns*9/2)
	require.LessOrEqual(t, r.tap.woken(), turns/10, "only where one claim's answer overtook another's")
}

func TestZooAbandonedWatchesAreSharedAndBounded(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t))
	h := lockIn(t, r.straight(), patience)
	m := r.broken()
	before := r.server.Watches(t)
	for range 30 {
		// Long enough, most times, to have got as far as the watch.
		_, err := m.Lock(t.Context(), recipes.WithWait(50*time.Millisecond))
		require.Error(t, err)
	}
	require.LessOrEqual(t, r.server.Watches(t), before+2)
	require.LessOrEqual(t, r.tap.count("get"), 30, "the watch that is there is used again")
	eventually(t, "only the holder is left", func() bool { return len(r.children()) == 1 })
	release(t, h)
}

// A container that has become empty goes at any moment, and its numbers start
// anew. Fences do not.
func TestZooDirectoriesThatVanishCostNothing(t *testing.T) {
	r := zooRigOn(t, stores.ZooKeeper(t, stores.WithContainerCheck(100*time.Millisecond)))
	const grants = 10_000
	ms := []*mutex.Mutex{r.straight(), r.straight()}
	fence := int64(0)
	zero := 0
	for i := range grants {
		h, err := ms[i%2].Lock(t.Context())
		require.NoError(t, err)
		token, ok := h.Fence()
		require.True(t, ok)
		require.Greater(t, token, fence)
		fence = token
		if digitsOf(h.Owner()) == "0000000000" {
			zero++
		}
		release(t, h)
		if i%50 == 49 { // long enough for the server to find it empty
			eventually(t, "the directory goes", func() bool {
				there, _, err := r.oracle.Exists(r.path)
				return err == nil && !there
			})
		}
	}
	t.Logf("%d grants, the directory was made %d times", grants, zero)
	require.Greater(t, zero, grants/100)
}
