package mutex_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// The counts below are promises, so these tests run alone on a server of their
// own.

func TestUncontendedPairIsTwoTripsAndEightCommands(t *testing.T) {
	r := rigOn(t, stores.Single(t))
	m := r.warm(r.broken())
	const pairs = 100
	require.NoError(t, r.oracle.ConfigResetStat(t.Context()).Err())
	r.proxy.Reset()
	for range pairs {
		h, err := m.Lock(t.Context())
		require.NoError(t, err)
		release(t, h)
	}
	requests := len(r.proxy.Commands())
	calls := commandsOf(t, r.oracle)
	total := 0
	for name, n := range calls {
		if name != "info" && name != "config|resetstat" {
			total += n
		}
	}
	t.Logf("a pair: %.2f requests, %.2f server commands", float64(requests)/pairs, float64(total)/pairs)
	require.Equal(t, 2*pairs, requests)
	require.LessOrEqual(t, total, 8*pairs)
	require.Zero(t, calls["subscribe"])
}

func TestManyLocalWaitersCostOneTripACycle(t *testing.T) {
	r := rigOn(t, stores.Single(t))
	c := connect(t, r.proxy.Addr(), withLease(30*time.Second))
	const workers, rounds = 32, 40
	require.NoError(t, r.oracle.ConfigResetStat(t.Context()).Err())
	r.proxy.Reset()
	var wg sync.WaitGroup
	turns := make([]int, workers)
	enough, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	all := 0
	for i := range workers {
		wg.Go(func() {
			for enough.Err() == nil {
				h, err := mutex.NewRedis(c, r.name).Lock(enough)
				if err != nil {
					return
				}
				mu.Lock()
				turns[i]++
				if all++; all == workers*rounds {
					stop()
				}
				mu.Unlock()
				if h.Release(t.Context()) != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	requests := r.proxy.Count(faultproxy.Script(r.name))
	calls := commandsOf(t, r.oracle)
	total := 0
	for name, n := range calls {
		if name != "info" && name != "config|resetstat" && name != "ping" {
			total += n
		}
	}
	least, most := turns[0], turns[0]
	for _, n := range turns {
		least, most = min(least, n), max(most, n)
	}
	t.Logf("an acquisition: %.2f requests, %.2f server commands, %d subscriptions in all; %d to %d turns a worker",
		float64(requests)/float64(all), float64(total)/float64(all), calls["subscribe"], least, most)
	require.LessOrEqual(t, total, 8*all)
	require.LessOrEqual(t, requests, all*12/10, "one trip a cycle, and one more at the end of a row")
	require.LessOrEqual(t, calls["subscribe"], 1)
	require.LessOrEqual(t, most, 2*least)
}

func TestManyIdleHoldsTakeAHandfulOfGoroutines(t *testing.T) {
	r := rigOn(t, stores.Single(t))
	c := connect(t, r.proxy.Addr(), withLease(3*time.Second))
	const holds = 2000
	for i := range 500 { // earlier pairs change nothing
		h, err := mutex.NewRedis(c, fmt.Sprint(r.name, i)).Lock(t.Context())
		require.NoError(t, err)
		release(t, h)
	}
	before := runtime.NumGoroutine()
	var held []*recipes.Hold
	for i := range holds {
		h, err := mutex.NewRedis(c, fmt.Sprint(r.name, i)).Lock(t.Context())
		require.NoError(t, err)
		held = append(held, h)
	}
	r.proxy.Reset()
	most := 0
	start := time.Now()
	eventually(t, "two leases", func() bool {
		most = max(most, runtime.NumGoroutine())
		return time.Since(start) > 6*time.Second
	})
	renewals := r.proxy.Count(renews(t))
	t.Logf("%d goroutines more for %d holds, %d renewal requests in two leases", most-before, holds, renewals)
	require.LessOrEqual(t, most-before, 20)
	require.LessOrEqual(t, renewals, 120, "batches of 200, six times, and what was due apart")
	for _, h := range held {
		require.NoError(t, h.Err())
		release(t, h)
	}
}

// BL-26: one key that has become something else is one hold lost.
func TestBL26OneBadKeyDoesNotStopTheRenewalOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := connect(t, r.server.Addr())
	held := make([]*recipes.Hold, 50)
	for i := range held {
		h, err := mutex.NewRedis(c, fmt.Sprint(r.name, i)).Lock(t.Context())
		require.NoError(t, err)
		held[i] = h
	}
	require.NoError(t, r.oracle.Set(t.Context(), held[7].Name(), "x", 0).Err())
	pass(2 * lease)
	for i, h := range held {
		if i == 7 {
			require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Err()))
			continue
		}
		require.NoError(t, h.Err())
		release(t, h)
	}
	require.NoError(t, r.oracle.Del(t.Context(), held[7].Name()).Err())
}
