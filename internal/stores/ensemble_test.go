package stores_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestEnsembleElectsAnotherLeaderWhenTheOldOneDiesOrFreezes(t *testing.T) {
	e := stores.Ensemble(t)
	old := leader(t, e)
	f := followers(t, e)
	require.Len(t, f, 2)
	require.NotContains(t, f, old)

	require.NoError(t, old.Kill())
	heir := leader(t, e)
	require.NotSame(t, old, heir)
	require.NoError(t, old.Start(t.Context()))
	require.Contains(t, followers(t, e), old)

	require.NoError(t, heir.Pause())
	require.NotSame(t, heir, leader(t, e))
	require.NoError(t, heir.Resume())
	require.NoError(t, heir.WaitServing(t.Context()))
}

func TestEnsembleServesThroughARollingRestartAndKeepsItsData(t *testing.T) {
	e := stores.Ensemble(t, stores.WithTLS())
	makeNode(t, e.Servers()[0].Client(t), "/kept", 0)
	pids := map[int]bool{}
	for _, s := range e.Servers() {
		pids[s.Pid()] = true
	}
	require.NoError(t, e.RollingRestart(t.Context()))
	for i, s := range e.Servers() {
		require.NotContains(t, pids, s.Pid())
		require.Equal(t, i+1, s.ID())
		conf, err := s.Ask(t.Context(), "conf")
		require.NoError(t, err)
		require.Contains(t, conf, "serverId="+strconv.Itoa(s.ID())+"\n")
	}

	for _, s := range e.Servers() {
		require.NoError(t, s.Kill())
	}
	require.NoError(t, e.Start(t.Context()))
	for _, s := range e.Servers() {
		require.Contains(t, s.Tree(t, "/").Paths(), "/kept")
	}
}

func TestFollowerThatIsCutOffServesOldDataUntilItNotices(t *testing.T) {
	e := stores.Ensemble(t)
	f := followers(t, e)[0]
	c, lead := f.Client(t), leader(t, e).Client(t)
	makeNode(t, lead, "/old", 0)
	_, err := c.Sync("/old")
	require.NoError(t, err)

	e.Isolate(f)
	makeNode(t, lead, "/new", 0)
	there, _, err := c.Exists("/old")
	require.NoError(t, err)
	require.True(t, there)
	there, _, err = c.Exists("/new")
	require.NoError(t, err)
	require.False(t, there)
	require.NoError(t, f.WaitNotServing(t.Context()))

	e.Heal(f)
	require.NoError(t, f.WaitServing(t.Context()))
	require.Contains(t, f.Tree(t, "/").Paths(), "/new")
}

func TestLeaderThatIsCutOffIsReplacedAndFollowsWhenItIsBack(t *testing.T) {
	e := stores.Ensemble(t)
	old := leader(t, e)
	e.Isolate(old)
	require.NoError(t, old.WaitNotServing(t.Context()))
	heir := leader(t, e)
	require.NotSame(t, old, heir)
	e.Heal(old)
	require.NoError(t, old.WaitServing(t.Context()))
	require.Same(t, heir, leader(t, e))
}

func TestSessionCanBeKilledAtAnyServerOfAnEnsemble(t *testing.T) {
	e := stores.Ensemble(t)
	f := followers(t, e)
	c := f[0].Client(t)
	makeNode(t, c, "/short-lived", zk.FlagEphemeral)
	id := c.SessionID()
	require.Contains(t, leader(t, e).Sessions(t), id)
	require.NoError(t, f[1].KillSession(t.Context(), id))
	require.Empty(t, f[1].Tree(t, "/short-lived"))
	require.Eventually(t, func() bool { return c.SessionID() != id }, patience, 10*time.Millisecond)
}

func leader(t *testing.T, e *stores.ZooEnsemble) *stores.ZooServer {
	t.Helper()
	s, err := e.Leader(t.Context())
	require.NoError(t, err)
	return s
}

func followers(t *testing.T, e *stores.ZooEnsemble) []*stores.ZooServer {
	t.Helper()
	list, err := e.Followers(t.Context())
	require.NoError(t, err)
	return list
}
