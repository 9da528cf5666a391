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

const calm = 20 * time.Second // a session that a busy machine does not end

// Each verb and each way to end, once for each Curator. They share a ZooKeeper
// and two peers, since the start of a peer takes longer than most of them.
func TestCuratorPeers(t *testing.T) {
	for _, version := range CuratorVersions() {
		t.Run(version, func(t *testing.T) {
			z := newKeeper(t, version)
			z.a, z.b = z.run(t, "A", calm), z.run(t, "B", calm)
			for _, c := range []struct {
				name string
				run  func(z *keeper, t *testing.T)
			}{
				{"a mutex is stored as one node for each thread", (*keeper).stored},
				{"a refused acquire leaves no node", (*keeper).refused},
				{"a revocation reaches a holder that listens", (*keeper).revoked},
				{"sellers of two peers sell each piece once", (*keeper).sellers},
				{"readers share and writers do not", (*keeper).readers},
				{"a semaphore hands out its leases", (*keeper).semaphore},
				{"other locks exclude, too", (*keeper).others},
				{"a killed peer holds until its session ends", (*keeper).killed},
				{"an expired session is reported", (*keeper).expired},
			} {
				t.Run(c.name, func(t *testing.T) { c.run(z, t) })
			}
		})
	}
}

// keeper is a ZooKeeper, and somebody who looks at its nodes.
type keeper struct {
	server  *stores.ZooServer
	version string
	raw     *zk.Conn
	a, b    *Peer
}

func newKeeper(t *testing.T, version string) *keeper {
	server := stores.ZooKeeper(t)
	raw, _, err := zk.Connect([]string{server.Addr()}, calm, zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(raw.Close)
	return &keeper{server: server, version: version, raw: raw}
}

func (z *keeper) run(t *testing.T, name string, session time.Duration) *Peer {
	return Curator{
		Version: z.version, Name: name, Addrs: []string{z.server.Addr()}, Session: session,
		Connection: calm, Retry: Backoff{50 * time.Millisecond, 5, time.Second},
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
