package main_test

import (
	"errors"
	"io"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// zoo is a ZooKeeper server and the raw look at the test's lock on it.
type zoo struct {
	*stores.ZooServer
	t    *testing.T
	raw  *zk.Conn
	path string
}

func sharedZoo(t *testing.T) *zoo {
	t.Helper()
	return zooOn(t, stores.SharedZooKeeper(t))
}

func zooOn(t *testing.T, s *stores.ZooServer) *zoo {
	t.Helper()
	return &zoo{ZooServer: s, t: t, raw: s.Client(t), path: "/" + strings.ReplaceAll(lockName(t), " ", "_")}
}

// at is a command on that server and the test's lock.
func (z *zoo) at(command string, args ...string) []string {
	return append([]string{command, "--zk", z.Addr(), "--name", z.path}, args...)
}

func (z *zoo) run(args ...string) *running {
	z.t.Helper()
	return start(z.t, z.at("run", args...)...)
}

// holder is a run that holds the test's lock until it is told to end.
func (z *zoo) holder(flags ...string) *running {
	z.t.Helper()
	r := z.run(append(flags, "--", "sh", "-c", "echo owner=$HOLDFAST_OWNER; exec sleep 1000")...)
	r.says("\n")
	return r
}

// children are the nodes below the test's path, in the order of their digits.
func (z *zoo) children() []string {
	z.t.Helper()
	names, _, err := z.raw.Children(z.path)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	require.NoError(z.t, err)
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(digits(a), digits(b)) })
	return names
}

func digits(node string) string { return node[max(0, len(node)-10):] }

// stat is of a node below the test's path.
func (z *zoo) stat(node string) *zk.Stat {
	z.t.Helper()
	_, stat, err := z.raw.Get(path.Join(z.path, node))
	require.NoError(z.t, err)
	return stat
}

// standing returns when so many nodes are there.
func (z *zoo) standing(n int) {
	z.t.Helper()
	require.Eventually(z.t, func() bool { return len(z.children()) == n }, patience, often)
}

// link passes bytes on to a server, until it is cut: nothing goes through it
// then, and nobody is told.
type link struct {
	to       string
	listener net.Listener
	mu       sync.Mutex
	cut      bool
	conns    []net.Conn
	all      sync.WaitGroup
}

func newLink(t *testing.T, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{to: to, listener: listener}
	l.all.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		l.mu.Lock()
		for _, c := range l.conns {
			_ = c.Close()
		}
		l.mu.Unlock()
		l.all.Wait()
	})
	return l
}

func (l *link) addr() string { return l.listener.Addr().String() }

func (l *link) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
}

func (l *link) severed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

func (l *link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		l.conns = append(l.conns, near, far)
		l.mu.Unlock()
		l.all.Go(func() { l.pass(far, near) })
		l.all.Go(func() { l.pass(near, far) })
	}
}

func (l *link) pass(to, from net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		if l.severed() {
			if err == nil {
				continue // swallowed
			}
			return
		}
		if err == nil {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				_ = to.Close()
			}
			return
		}
	}
}

// plant makes a node that belongs to no session, and is its name; with "" it is
// the directory.
func (z *zoo) plant(name string) string {
	z.t.Helper()
	at := path.Join(z.path, name)
	_, err := z.raw.Create(at, nil, zk.FlagPersistent, zk.WorldACL(zk.PermAll))
	require.NoError(z.t, err)
	z.t.Cleanup(func() { _ = z.raw.Delete(at, -1) })
	return name
}
