package peer

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestPeersExcludeEachOtherBehindSentinels(t *testing.T) {
	for _, version := range RedissonVersions() {
		t.Run(version, func(t *testing.T) {
			watched := stores.Sentinel(t)
			rdb := redis.NewFailoverClient(&redis.FailoverOptions{
				MasterName: stores.MasterName, SentinelAddrs: watched.SentinelAddrs(),
			})
			sellOut(t, rdb, Redisson{
				Version: version, Mode: Sentinel, Addrs: watched.SentinelAddrs(), Master: stores.MasterName,
			})
		})
	}
}

func TestPeersExcludeEachOtherInACluster(t *testing.T) {
	for _, version := range RedissonVersions() {
		t.Run(version, func(t *testing.T) {
			nodes := stores.Cluster(t)
			rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
			sellOut(t, rdb, Redisson{Version: version, Mode: Cluster, Addrs: nodes.Addrs()})
		})
	}
}

// sellOut has two peers of one kind sell a stock, under a lock and with values
// that lie in three different slots.
func sellOut(t *testing.T, rdb redis.UniversalClient, peer Redisson) {
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	const pieces, rounds = 25, 20
	ctx := patience(t)
	require.NoError(t, rdb.Set(ctx, "stock", pieces, 0).Err())
	peer.Watchdog = watchdog
	a, b := peer.Run(t), peer.Run(t)
	first := a.Thread("t1").Lock("shop")
	require.NoError(t, first.Lock(ctx, Watchdog))
	sale := Rounds{N: rounds, Think: time.Millisecond}
	calls := []*Call[Work]{
		a.Thread("t2").Lock("shop").GoInventory("stock", "sold", sale),
		b.Thread("t1").Lock("shop").GoInventory("stock", "sold", sale),
	}
	opened := first.GoUnlock()
	require.NoError(t, opened.Err(ctx))

	var sold int
	for _, call := range calls {
		work, err := call.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds, work.Entered)
		require.False(t, work.History[0].Got.Before(opened.Times().Began))
		sold += work.Sold
	}
	require.Equal(t, pieces, sold)
	stored, err := rdb.Get(ctx, "sold").Int()
	require.NoError(t, err)
	require.Equal(t, pieces, stored)
}
