package mutex_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/redisx"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// A slot that moves, slowly and then for good, under a hold and a waiter: the
// hold lives on, the waiter is woken, and every request finds its way.
func TestHoldAndWaiterSurviveTheMoveOfTheirSlot(t *testing.T) {
	t.Parallel()
	nodes := stores.Cluster(t)
	slot := redisx.Slot("moving")
	from, err := nodes.Owner(t.Context(), slot)
	require.NoError(t, err)
	var to *stores.Server
	for _, s := range nodes.Primaries() {
		if s != from {
			to = s
		}
	}
	seen := &events{}
	dial := func() *mutex.Mutex {
		rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
		return mutex.NewRedis(clientOf(t, rdb, withLease(2*time.Second), observing(seen)), "moving")
	}
	a, b := dial(), dial()
	h, err := a.Lock(t.Context())
	require.NoError(t, err)
	got, failed := make(chan *recipes.Hold, 1), make(chan error, 1)
	go func() {
		h, err := b.Lock(t.Context())
		if err != nil {
			failed <- err
			return
		}
		got <- h
	}()
	eventually(t, "the waiter waits", func() bool { return seen.count(recipes.EventWaiting) == 1 })

	move, err := nodes.StartMove(t.Context(), slot, to)
	require.NoError(t, err)
	require.NoError(t, move.MoveKeys(t.Context()))
	// From here the old owner answers ASK. Renewals have one key and go on;
	// scripts with several keys of which one is missing are told TRYAGAIN.
	require.NoError(t, h.Extend(t.Context(), 0))
	_, err = a.Lock(h.Context(t.Context()), recipes.WithWait(200*time.Millisecond))
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorContains(t, err, "TRYAGAIN")
	pass(4 * time.Second)
	require.NoError(t, h.Err())
	require.NoError(t, move.Finish(t.Context())) // and from here MOVED
	inner, err := a.Lock(h.Context(t.Context()))
	require.NoError(t, err)
	release(t, inner)
	freed := time.Now()
	release(t, h)
	select {
	case next := <-got:
		require.Less(t, time.Since(freed), time.Second+slack)
		release(t, next)
	case err := <-failed:
		require.NoError(t, err)
	}
}

// A primary of a cluster dies: its replica takes over, and who waits or comes
// later gets the lock there. What the replica had not heard is lost; that a
// failover may do that is in the guarantees.
func TestClusterFailoverLetsTheNextIn(t *testing.T) {
	t.Parallel()
	nodes := stores.Cluster(t, stores.WithReplicas())
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
	m := mutex.NewRedis(clientOf(t, rdb, withLease(10*time.Second)), "failing")
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	slot := redisx.Slot("failing")
	owner, err := nodes.Owner(t.Context(), slot)
	require.NoError(t, err)
	for i, p := range nodes.Primaries() {
		if p == owner {
			require.NoError(t, owner.Kill())
			require.NoError(t, nodes.Failover(t.Context(), i))
		}
	}
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := m.Lock(t.Context()); err == nil {
			got <- h
		}
	}()
	err = h.Release(t.Context())
	t.Logf("the release across the failover: %v", err)
	release(t, <-got)
}

func TestSentinelFailoverLetsTheNextIn(t *testing.T) {
	t.Parallel()
	watched := stores.Sentinel(t)
	seen := &events{}
	dial := func() *mutex.Mutex {
		rdb := redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: stores.MasterName, SentinelAddrs: watched.SentinelAddrs(),
		})
		return mutex.NewRedis(clientOf(t, rdb, withLease(10*time.Second), observing(seen)), "failing")
	}
	a, b := dial(), dial()
	h, err := a.Lock(t.Context())
	require.NoError(t, err)
	got := make(chan *recipes.Hold, 1)
	go func() {
		if h, err := b.Lock(t.Context()); err == nil {
			got <- h
		}
	}()
	eventually(t, "the waiter waits", func() bool { return seen.count(recipes.EventWaiting) == 1 })
	_, err = watched.Failover(t.Context())
	require.NoError(t, err)
	pass(11 * time.Second)
	require.NoError(t, h.Err(), "the replica knew the lock, and the watchdog found it there")
	release(t, h)
	release(t, <-got)
}

func TestPlainClientOfAClusterNodeIsRefused(t *testing.T) {
	t.Parallel()
	nodes := stores.Cluster(t)
	m := mutex.NewRedis(connect(t, nodes.Addrs()[0]), "x")
	_, err := m.Lock(t.Context())
	require.ErrorIs(t, err, recipes.ErrInvalid)
	require.ErrorContains(t, err, "redis.NewClusterClient")
}

// BL-14: a proxy that hides a cluster refuses a script over several slots; the
// renewals then go out one by one.
func TestBL14RenewalWorksThroughAProxyInFrontOfACluster(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := connect(t, r.proxy.Addr())
	many := func(q faultproxy.Request) bool { return renews(t)(q) && len(q.Args) > 2 && q.Args[2] != "1" }
	refused := r.proxy.OnEveryRequest(many, faultproxy.ReplyError("CROSSSLOT Keys in request don't hash to the same slot"))
	var held []*recipes.Hold
	for _, suffix := range []string{"a", "b", "c", "d"} {
		h, err := mutex.NewRedis(c, r.name+suffix).Lock(t.Context())
		require.NoError(t, err)
		held = append(held, h)
	}
	<-refused.Hit()
	pass(3 * lease)
	require.Equal(t, 1, refused.Hits(), "not tried again")
	for _, h := range held {
		require.NoError(t, h.Err())
		release(t, h)
	}
}
