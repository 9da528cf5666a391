package stores_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestReplicaFollowsItsPrimary(t *testing.T) {
	p := stores.Replica(t)
	c := p.Primary.Client(t)
	require.NoError(t, c.Set(t.Context(), "k", "v", 0).Err())
	acks, err := c.Wait(t.Context(), 1, 5*time.Second).Result()
	require.NoError(t, err)
	require.EqualValues(t, 1, acks)
	require.Equal(t, "v", p.Replica.Client(t).Get(t.Context(), "k").Val())

	role, err := p.Replica.Role(t.Context())
	require.NoError(t, err)
	require.Equal(t, "slave", role)
}

func TestSentinelsPromoteTheReplicaOnRequest(t *testing.T) {
	w := stores.Sentinel(t)
	old, err := w.Primary(t.Context())
	require.NoError(t, err)
	heir, err := w.Failover(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, old.Addr(), heir.Addr())
	require.NoError(t, heir.Client(t).Set(t.Context(), "k", "v", 0).Err())
	require.Eventually(t, func() bool {
		role, err := old.Role(t.Context())
		return err == nil && role == "slave"
	}, patience, 50*time.Millisecond, "the old primary is turned into a replica")
}

func TestSentinelsPromoteTheReplicaOfAKilledPrimary(t *testing.T) {
	w := stores.Sentinel(t)
	require.Len(t, w.SentinelAddrs(), 3)
	old, err := w.Primary(t.Context())
	require.NoError(t, err)
	heir, err := w.Replica(t.Context())
	require.NoError(t, err)
	require.NoError(t, old.Kill())
	require.NoError(t, w.WaitPrimary(t.Context(), heir))
}
