package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const stopping = `trap 'echo stopping; exit 0' TERM; ` + idle

func TestZKADeletedNodeStopsTheCommand(t *testing.T) {
	for _, layout := range []string{"curator", "single-node"} {
		t.Run(layout, func(t *testing.T) {
			z := sharedZoo(t)
			r := z.run("--layout", layout, "--", "sh", "-c", stopping)
			r.says("ready")
			require.NoError(t, z.raw.Delete(z.path+"/"+z.children()[0], -1))
			r.ends(121)
			require.Contains(t, r.out.String(), "stopping")
			require.Contains(t, r.err.String(), "lost: the store says it is not ours; stopping the command")
			require.Empty(t, z.children())
		})
	}
}

func TestZKAnExpiredSessionStopsTheCommand(t *testing.T) {
	z := sharedZoo(t)
	r := z.run("--", "sh", "-c", stopping)
	r.says("ready")
	require.NoError(t, z.KillSession(t.Context(), z.stat(z.children()[0]).EphemeralOwner))
	r.ends(121)
	require.Contains(t, r.out.String(), "stopping")
	require.Contains(t, r.err.String(), "lost: the session expired; stopping the command")
}

func TestZKALeaseThatIsOverStopsTheCommand(t *testing.T) {
	z := sharedZoo(t)
	r := z.run("--lease", "400ms", "--", "sh", "-c", "echo pid=$$; exec sleep 1000")
	r.ends(121)
	require.Contains(t, r.err.String(), "lease is over")
	gone(t, fieldOf(t, r.out.String(), "pid"))
	require.Empty(t, z.children())
}

func TestZKServersThatAreGoneStopTheCommand(t *testing.T) {
	z := zooOn(t, stores.ZooKeeper(t))
	r := z.run("--session-timeout", "1s", "--", "sh", "-c", "echo ready; exec sleep 1000")
	r.says("ready")
	require.NoError(t, z.Kill())
	r.ends(121)
	require.Contains(t, r.err.String(), "could not be reached")
}

// The point of it all: a holder that is cut off is stopped first, and only then
// does the next one start.
func TestZKTheCommandIsStoppedBeforeTheNextOneRuns(t *testing.T) {
	z := sharedZoo(t)
	l := newLink(t, z.Addr())
	stopped := filepath.Join(t.TempDir(), "stopped")
	r := start(t, "run", "--zk", l.addr(), "--name", z.path, "--session-timeout", "3s", "--",
		"sh", "-c", `trap 'echo > `+stopped+`; exit 0' TERM; `+idle)
	r.says("ready")
	next := z.run("--", "sh", "-c", "test -e "+stopped)
	z.standing(2)
	require.NoFileExists(t, stopped)
	l.sever()
	next.ends(0)
	r.ends(121)
	require.Contains(t, r.err.String(), "stopping the command")
}

func TestZKABriefOutageIsNoLoss(t *testing.T) {
	z := zooOn(t, stores.ZooKeeper(t))
	file := filepath.Join(t.TempDir(), "go")
	r := z.run("--session-timeout", "20s", "--", "sh", "-c", "echo ready; while ! test -e "+file+"; do sleep 0.05; done")
	r.says("ready")
	session := fmt.Sprintf("sid=0x%x,", z.stat(z.children()[0]).EphemeralOwner)
	require.NoError(t, z.Restart(t.Context()))
	require.Eventually(t, func() bool {
		connections, err := z.Ask(t.Context(), "cons")
		return err == nil && strings.Contains(connections, session)
	}, patience, 10*often, "it never came back")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	r.ends(0)
	require.Empty(t, r.err.String())
}
