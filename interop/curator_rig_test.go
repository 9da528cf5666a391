package interop_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

const (
	short = 4 * time.Second  // the session time-out of tests that wait for its end
	calm  = 20 * time.Second // of the others, so that a busy machine ends none
	tick  = 200 * time.Millisecond

	// A session ends this long after its client has died: the last sign of life
	// was at most a third of the session before, and the server looks once a tick.
	leastShort = short*2/3 - tick
	mostShort  = short + 2*tick + slack
)

// line is one ZooKeeper with a Java service and a Go service that stand in its
// lines.
type line struct {
	version string
	session time.Duration // its time-out, of both languages
	server  *stores.ZooServer
	java    *peer.Peer
	goes    *zkcore.Client
	raw     *zk.Conn // looks at the nodes
	gate    sync.RWMutex
}

// inLine runs a test for each Curator asked for, each time with a ZooKeeper of
// its own.
func inLine(t *testing.T, session time.Duration, f func(t *testing.T, l *line), opts ...stores.Option) {
	for _, version := range peer.CuratorVersions() {
		t.Run("Curator "+version, func(t *testing.T) {
			l := &line{version: version, session: session, server: stores.ZooKeeper(t, opts...)}
			l.raw = l.observer(t)
			l.java, l.goes = l.jvm(t, "java"), l.client(t)
			f(t, l)
		})
	}
}

func (l *line) observer(t *testing.T) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect([]string{l.server.Addr()}, calm, zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// jvm is one more Java service of the version.
func (l *line) jvm(t *testing.T, name string) *peer.Peer {
	t.Helper()
	return l.settings(name).Run(t)
}

func (l *line) settings(name string) peer.Curator {
	return peer.Curator{
		Version: l.version, Name: name, Addrs: []string{l.server.Addr()}, Session: l.session, Connection: l.session,
		Retry: peer.Backoff{Base: 50 * time.Millisecond, Retries: 10, Ceiling: time.Second},
	}
}

// client is one more Go service.
func (l *line) client(t *testing.T, opts ...zkcore.Option) *zkcore.Client {
	t.Helper()
	c, err := gozk.Connect(soon(t), []string{l.server.Addr()},
		append([]zkcore.Option{zkcore.WithSessionTimeout(l.session), zkcore.WithDialer(l.dial)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), slack)
		defer cancel()
		require.NoError(t, c.Close(ctx))
	})
	return c
}

// dial waits while the gate is closed.
func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.gate.RLock()
	defer l.gate.RUnlock()
	return new(net.Dialer).DialContext(ctx, network, address)
}

func (l *line) mutex(path string, opts ...mutex.ZooKeeperOption) *mutex.Mutex {
	return mutex.NewZooKeeper(l.goes, path, opts...)
}

// thread is the lock in the hands of one Java thread. Tests that share the
// service do not share its threads, whose calls queue.
func (l *line) thread(thread, path string) peer.Mutex {
	return l.java.Thread(path + " " + thread).Mutex(path)
}

// nodes are those of a lock as the store keeps them, the first in line first.
func (l *line) nodes(t *testing.T, path string) []string {
	t.Helper()
	nodes, _, err := l.raw.Children(path)
	for end := time.Now().Add(patience); restarting(err) && time.Now().Before(end); {
		nodes, _, err = l.raw.Children(path)
	}
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	require.NoError(t, err)
	slices.SortFunc(nodes, func(a, b string) int { return strings.Compare(digits(a), digits(b)) })
	return nodes
}

// restarting is what the observer meets when its server goes away.
func restarting(err error) bool {
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrNoServer)
}

// digits are what the server has put behind the name.
func digits(node string) string { return node[max(0, len(node)-10):] }

// stand waits until n nodes stand in the line, and tells them.
func (l *line) stand(t *testing.T, path string, n int) (nodes []string) {
	t.Helper()
	for end := time.After(patience); ; {
		if nodes = l.nodes(t, path); len(nodes) == n {
			return nodes
		}
		select {
		case <-end:
			require.Len(t, nodes, n, path)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// owner is the session of the client that made a node.
func (l *line) owner(t *testing.T, path, node string) int64 {
	t.Helper()
	_, stat, err := l.raw.Get(path + "/" + node)
	require.NoError(t, err)
	return stat.EphemeralOwner
}

// expire ends a session behind its client's back. It is taken over and closed,
// and no client may come back in between: its session could survive, or else its
// connection, on which the server then answers nothing. An expiry leaves neither.
// Go's clients wait at the gate; Java's pause before they connect again.
func (l *line) expire(t *testing.T, session int64) {
	t.Helper()
	l.gate.Lock()
	defer l.gate.Unlock()
	for there := true; there; there = slices.Contains(l.server.Sessions(t), session) {
		if err := l.server.KillSession(soon(t), session); !errors.Is(err, stores.ErrNoSession) {
			require.NoError(t, err)
		}
	}
}

// refused says that neither language lets anybody in beside the holder, and
// that the tries leave nothing in line.
func (l *line) refused(t *testing.T, path string) {
	t.Helper()
	before := len(l.nodes(t, path))
	_, err := l.mutex(path).TryLock(soon(t))
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	got, err := l.thread("intruder", path).TryAcquire(soon(t), peer.NoWait)
	require.NoError(t, err)
	require.False(t, got)
	l.stand(t, path, before)
}

// lost waits until a Go holder is told, and says why it was told.
func lost(t *testing.T, h *recipes.Hold, within time.Duration, reason recipes.Reason) {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(within):
		require.Fail(t, "the Go holder was not told")
	}
	var lost *recipes.LostError
	require.ErrorAs(t, h.Err(), &lost)
	require.Equal(t, reason, lost.Reason)
}
