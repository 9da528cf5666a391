package stores_test

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestClusterServesEverySlotAndMovesOne(t *testing.T) {
	n := stores.Cluster(t)
	require.Len(t, n.Primaries(), 3)
	require.Empty(t, n.Replicas())
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: n.Addrs()})
	defer c.Close()
	for i := range 200 {
		require.NoError(t, c.Set(t.Context(), fmt.Sprint("k", i), i, 0).Err())
	}

	slot, err := n.Slot(t.Context(), "{a}b")
	require.NoError(t, err)
	require.Equal(t, 15495, slot) // CRC16("a") mod 16384
	from, err := n.Owner(t.Context(), slot)
	require.NoError(t, err)
	require.Equal(t, n.Primaries()[2].Addr(), from.Addr())
	to := n.Primaries()[0]
	require.NoError(t, c.Set(t.Context(), "{a}b", "v", 0).Err())

	m, err := n.StartMove(t.Context(), slot, to)
	require.NoError(t, err)
	require.ErrorContains(t, from.Client(t).Get(t.Context(), "{a}absent").Err(), "ASK")
	require.Equal(t, "v", from.Client(t).Get(t.Context(), "{a}b").Val(), "not moved yet")
	require.NoError(t, m.MoveKeys(t.Context()))
	require.ErrorContains(t, from.Client(t).Get(t.Context(), "{a}b").Err(), "ASK")
	require.NoError(t, m.Finish(t.Context()))
	require.ErrorContains(t, from.Client(t).Get(t.Context(), "{a}b").Err(), "MOVED")
	require.Equal(t, "v", to.Client(t).Get(t.Context(), "{a}b").Val())

	require.NoError(t, n.MoveSlot(t.Context(), slot, from), "and back")
	require.Equal(t, "v", from.Client(t).Get(t.Context(), "{a}b").Val())
}

func TestReplicaOfAClusterTakesOver(t *testing.T) {
	n := stores.Cluster(t, stores.WithReplicas())
	old, heir := n.Primaries()[1], n.Replicas()[1]

	require.NoError(t, n.Failover(t.Context(), 1), "the primary hands over")
	require.Same(t, heir, n.Primaries()[1])
	require.Same(t, old, n.Replicas()[1])

	require.NoError(t, n.Primaries()[0].Kill())
	require.NoError(t, n.Failover(t.Context(), 0), "the dead primary is deposed")
	owner, err := n.Owner(t.Context(), 0)
	require.NoError(t, err)
	require.Same(t, n.Primaries()[0], owner)
}
