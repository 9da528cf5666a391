package stores_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestEnsembleElectsAnotherLeaderWhenTheOldOneIsGone(t *testing.T) {
	e := stores.Ensemble(t)
	require.Len(t, e.Addrs(), 3)
	old, err := e.Leader(t.Context())
	require.NoError(t, err)
	followers, err := e.Followers(t.Context())
	require.NoError(t, err)
	require.Len(t, followers, 2)
	require.NotContains(t, followers, old)

	require.NoError(t, old.Kill())
	heir, err := e.Leader(t.Context())
	require.NoError(t, err)
	require.NotSame(t, old, heir)
	require.NoError(t, old.Start(t.Context()))
	require.NoError(t, old.WaitServing(t.Context()))

	require.NoError(t, heir.Pause())
	third, err := e.Leader(t.Context())
	require.NoError(t, err)
	require.NotSame(t, heir, third)
	require.NoError(t, heir.Resume())
	require.NoError(t, heir.WaitServing(t.Context()))

	start := time.Now()
	require.NoError(t, e.RollingRestart(t.Context()))
	t.Log(time.Since(start))
}

func TestIsolatedServersLeaveTheQuorumAndComeBack(t *testing.T) {
	e := stores.Ensemble(t)
	followers, err := e.Followers(t.Context())
	require.NoError(t, err)
	f := followers[0]
	e.Isolate(f)
	require.NoError(t, f.WaitIdle(t.Context()))
	e.Heal(f)
	require.NoError(t, f.WaitServing(t.Context()))

	old, err := e.Leader(t.Context())
	require.NoError(t, err)
	e.Isolate(old)
	require.NoError(t, old.WaitIdle(t.Context()))
	heir, err := e.Leader(t.Context())
	require.NoError(t, err)
	require.NotSame(t, old, heir)
	e.Heal(old)
	require.NoError(t, old.WaitServing(t.Context()))
	now, err := e.Leader(t.Context())
	require.NoError(t, err)
	require.Same(t, heir, now)
}
