package peer

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const session = 4 * time.Second

// eachCurator runs a test with a ZooKeeper of its own for each Curator.
func eachCurator(t *testing.T, test func(t *testing.T, z *keeper)) {
	t.Parallel()
	for _, version := range CuratorVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, newKeeper(t, version))
		})
	}
}

// keeper is a ZooKeeper, and somebody who looks at its nodes.
type keeper struct {
	addr, version string
	raw           *zk.Conn
}

func newKeeper(t *testing.T, version string) *keeper {
	addr := stores.ZooKeeper(t).Addr()
	raw, _, err := zk.Connect([]string{addr}, session, zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(raw.Close)
	return &keeper{addr: addr, version: version, raw: raw}
}

func (z *keeper) run(t *testing.T, name string) *Peer {
	return Curator{
		Version: z.version, Name: name, Addrs: []string{z.addr}, Session: session,
		Connection: session, Retry: Backoff{50 * time.Millisecond, 5, time.Second},
	}.Run(t)
}

// line is the nodes of a lock, the first one first.
func (z *keeper) line(t *testing.T, lock string) []string {
	nodes, _, err := z.raw.Children(lock)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	require.NoError(t, err)
	slices.SortFunc(nodes, func(a, b string) int { return number(t, a) - number(t, b) })
	return nodes
}

func number(t *testing.T, node string) int {
	n, err := strconv.Atoi(node[len(node)-10:])
	require.NoError(t, err)
	return n
}

func (z *keeper) length(t *testing.T, lock string, n int) {
	require.Eventually(t, func() bool { return len(z.line(t, lock)) == n }, soon, 5*time.Millisecond)
}
