package main_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// soon makes a loss known after a fraction of a second.
var soon = []string{"--watchdog-lease", "600ms"}

func lose(t *testing.T, s *stores.Server) {
	t.Helper()
	n, err := s.Client(t).Del(t.Context(), lockName(t)).Result()
	require.NoError(t, err)
	require.EqualValues(t, 1, n, "there was a lock to lose")
}

func TestALostLockStopsTheCommand(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, append(soon, "--", "sh", "-c", `trap 'echo stopping; exit 0' TERM; `+idle)...)...)
	r.says("ready")
	lose(t, s)
	r.ends(121)
	require.Contains(t, r.out.String(), "stopping")
	require.Contains(t, r.err.String(), "lost: the store says it is not ours; stopping the command")
	require.NotContains(t, r.err.String(), "killed")
	require.Empty(t, keysOf(t, s, lockName(t)))
}

func TestALostLockStopsWhatTheCommandStarted(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, append(soon, "--", "sh", "-c", `sleep 1000 & echo child=$!; wait`)...)...)
	r.says("child=")
	lose(t, s)
	r.ends(121)
	require.NotContains(t, r.err.String(), "killed")
	gone(t, fieldOf(t, r.out.String(), "child"))
}

func TestACommandThatIgnoresTermIsKilled(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, append(soon, "--grace", "300ms", "--", "sh", "-c", `trap '' TERM; echo pid=$$; `+idle)...)...)
	r.says("ready")
	lose(t, s)
	r.ends(121)
	require.Contains(t, r.err.String(), "did not end in 300ms: killed")
	gone(t, fieldOf(t, r.out.String(), "pid"))
}

func TestAHelperThatOutlivesTheCommandIsKilled(t *testing.T) {
	s := stores.Shared(t)
	script := `(trap '' TERM; ` + idle + `) & echo child=$!; wait`
	r := start(t, under(t, s, append(soon, "--grace", "300ms", "--", "sh", "-c", script)...)...)
	r.says("ready")
	r.says("child=")
	lose(t, s)
	r.ends(121)
	gone(t, fieldOf(t, r.out.String(), "child"))
}

func TestAStoppedCommandIsStoppedForGood(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, append(soon, "--", "sh", "-c", `echo pid=$$; kill -STOP $$; echo ran on`)...)...)
	r.says("pid=")
	lose(t, s)
	r.ends(121)
	require.NotContains(t, r.out.String(), "ran on")
	require.NotContains(t, r.err.String(), "killed", "TERM is enough once it runs")
}

func TestALeaseThatIsOverStopsTheCommand(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, "--lease", "400ms", "--", "sh", "-c", `echo pid=$$; exec sleep 1000`)...)
	r.ends(121)
	require.Contains(t, r.err.String(), "lease is over")
	gone(t, fieldOf(t, r.out.String(), "pid"))
	nothingLeft(t, s, lockName(t))
}

func TestAServerThatIsGoneStopsTheCommand(t *testing.T) {
	s := stores.Single(t)
	r := start(t, under(t, s, append(soon, "--", "sh", "-c", `echo ready; exec sleep 1000`)...)...)
	r.says("ready")
	require.NoError(t, s.Kill())
	r.ends(121)
	require.Contains(t, r.err.String(), "could not be reached")
}

func TestALossThatShowsAtTheEndIsALossToo(t *testing.T) {
	s := stores.Shared(t)
	// Nothing is renewed in time to notice.
	r := start(t, under(t, s, "--watchdog-lease", "1h", "--", "sh", "-c", `trap 'exit 0' TERM; `+idle)...)
	r.says("ready")
	lose(t, s)
	r.signal(15)
	r.ends(121)
	require.Contains(t, r.err.String(), "the command had ended with 0 by then")
}

func TestALockThatWasStolenIsNotTouched(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, append(soon, "--", "sh", "-c", idle)...)...)
	r.says("ready")
	db := foreign(t, s)
	require.NoError(t, db.Del(t.Context(), lockName(t)).Err())
	require.NoError(t, db.HSet(t.Context(), lockName(t), "somebody:1", 1).Err())
	r.ends(121)
	stored, err := db.HGetAll(t.Context(), lockName(t)).Result()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"somebody:1": "1"}, stored)
}
