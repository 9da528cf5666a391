package stores_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const patience = 20 * time.Second

func TestServerKeepsItsAddressThroughKillAndRestart(t *testing.T) {
	s := stores.Single(t, stores.WithConfig("appendonly yes", "appendfsync always"))
	c := s.Client(t)
	addr, pid := s.Addr(), s.Pid()
	require.NoError(t, c.Set(t.Context(), "k", "v", 0).Err())

	require.NoError(t, s.Kill())
	require.Zero(t, s.Pid())
	require.Error(t, c.Ping(t.Context()).Err())
	require.NoError(t, s.Start(t.Context()))
	require.Equal(t, addr, s.Addr())
	require.NotEqual(t, pid, s.Pid())
	require.Equal(t, "v", s.Client(t).Get(t.Context(), "k").Val(), "the append-only file outlives a kill")

	require.NoError(t, s.Restart(t.Context()))
	require.Equal(t, "v", s.Client(t).Get(t.Context(), "k").Val())
}

func TestServerWritesNothingToDiskUnlessAsked(t *testing.T) {
	s := stores.Single(t)
	require.NoError(t, s.Client(t).Set(t.Context(), "k", "v", 0).Err())
	require.NoError(t, s.Restart(t.Context()))
	require.Zero(t, s.Client(t).DBSize(t.Context()).Val())
	files, err := os.ReadDir(s.Dir())
	require.NoError(t, err)
	for _, f := range files {
		require.Contains(t, []string{"redis.conf", "server.log"}, f.Name())
	}
}

func TestPausedServerIsSilentUntilItRunsOn(t *testing.T) {
	s := stores.Single(t)
	c := s.Client(t)
	require.NoError(t, c.Ping(t.Context()).Err())

	require.NoError(t, s.Pause())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, c.Ping(ctx).Err(), "timeout")
	require.NoError(t, s.Resume())
	require.NoError(t, c.Ping(t.Context()).Err())
}

func TestPausedServerCanStillBeStopped(t *testing.T) {
	s := stores.Single(t)
	require.NoError(t, s.Pause())
	require.NoError(t, s.Stop())
	require.Zero(t, s.Pid())
	require.Error(t, s.Pause(), "there is nothing to pause")
}

func TestRunningServerIsNotStartedTwice(t *testing.T) {
	s := stores.Single(t)
	pid := s.Pid()
	require.ErrorContains(t, s.Start(t.Context()), "it is running")
	require.Equal(t, pid, s.Pid())
}

func TestConfigurationOfTheCallerWins(t *testing.T) {
	s := stores.Single(t, stores.WithConfig("maxmemory 3mb", "maxmemory-policy noeviction", "appendonly yes"))
	got := s.Client(t).ConfigGet(t.Context(), "*").Val()
	require.Equal(t, "3145728", got["maxmemory"])
	require.Equal(t, "yes", got["appendonly"])
	require.Equal(t, "127.0.0.1", got["bind"])
}

func TestDebugCommandIsAllowed(t *testing.T) {
	s := stores.Single(t)
	require.NoError(t, s.Client(t).Do(t.Context(), "DEBUG", "SLEEP", "0").Err())
}

func TestFailedStartShowsTheLog(t *testing.T) {
	_, err := stores.StartSingle(t.Context(), t.TempDir(), stores.WithConfig("no-such-setting 1"))
	require.ErrorContains(t, err, "no-such-setting")
	require.ErrorContains(t, err, "it ended while starting")
}

func TestMissingProgramNamesWhatInstallsIt(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "redis-server")
	_, err := stores.StartSingle(t.Context(), t.TempDir(), stores.WithBinary(missing))
	require.ErrorIs(t, err, stores.ErrMissing)
	require.ErrorContains(t, err, "scripts/install-stores.sh")

	t.Setenv("HOLDFAST_REDIS_SERVER", missing)
	_, err = stores.StartSingle(t.Context(), t.TempDir())
	require.ErrorIs(t, err, stores.ErrMissing)

	t.Setenv("HOLDFAST_REDIS_SERVER", "")
	t.Setenv("PATH", t.TempDir())
	_, err = stores.StartSingle(t.Context(), t.TempDir())
	require.ErrorIs(t, err, stores.ErrMissing)
}

func TestIndependentServersAreStrangers(t *testing.T) {
	list := stores.Independent(t, 3)
	ids := map[string]bool{}
	for i, s := range list {
		require.NoError(t, s.Client(t).Set(t.Context(), "me", i, 0).Err())
		info := s.Client(t).InfoMap(t.Context(), "server").Item("Server", "run_id")
		ids[info] = true
	}
	require.Len(t, ids, 3)
	for i, s := range list {
		got, err := s.Client(t).Get(t.Context(), "me").Int()
		require.NoError(t, err)
		require.Equal(t, i, got)
	}
}

func TestSharedServerIsTheSameForEveryTest(t *testing.T) {
	a, b := stores.Shared(t), stores.Shared(t)
	require.Same(t, a, b)
	c := a.Client(t)
	require.NoError(t, c.Set(t.Context(), "k", "v", 0).Err())
	sha := c.ScriptLoad(t.Context(), "return 1").Val()
	a.FlushAll(t)
	require.Zero(t, c.DBSize(t.Context()).Val())
	require.Equal(t, []bool{false}, c.ScriptExists(t.Context(), sha).Val())
}
