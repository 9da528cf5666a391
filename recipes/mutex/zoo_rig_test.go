package mutex_test

import (
	"context"
	"errors"
	"net"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

const (
	// session is the time-out of sessions in tests. Many wait for its end; a busy
	// machine must not.
	session = 3 * time.Second
	// patience is for what must happen at once, on a busy machine.
	patience = 10 * time.Second
)

var longSession = zkcore.WithSessionTimeout(8 * time.Second)

// zooRig is a real server, a tap that breaks things in front of it, and an
// oracle that looks at the raw nodes.
type zooRig struct {
	t      *testing.T
	server *stores.ZooServer
	addrs  []string // where the oracle asks
	tap    *tap
	oracle *zk.Conn
	events *events
	path   string
}

func newZooRig(t *testing.T) *zooRig {
	t.Helper()
	return zooRigOn(t, stores.SharedZooKeeper(t))
}

func zooRigOn(t *testing.T, server *stores.ZooServer) *zooRig {
	t.Helper()
	return &zooRig{
		t: t, server: server, addrs: []string{server.Addr()}, tap: newTap(), oracle: zooOracle(t, server.Addr()), events: &events{},
		path: "/" + strings.NewReplacer(" ", "_", "/", "_").Replace(t.Name()),
	}
}

// hasty is a connection on which the bare driver waits for no answer longer than
// it should: for that to its connect request it would wait ten times as long.
type hasty struct{ net.Conn }

func hastily(network, addr string, timeout time.Duration) (net.Conn, error) {
	c, err := net.DialTimeout(network, addr, timeout)
	return hasty{c}, err
}

func (h hasty) SetReadDeadline(t time.Time) error {
	if latest := time.Now().Add(5 * time.Second); t.IsZero() || t.After(latest) {
		t = latest
	}
	return h.Conn.SetReadDeadline(t)
}

type noLog struct{}

func (noLog) Printf(string, ...any) {}

func zooOracle(t *testing.T, addrs ...string) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect(addrs, 6*time.Second, zk.WithDialer(hastily), zk.WithLogger(noLog{}), zk.WithLogInfo(false))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// zooConnect is a client of the servers, closed at the end of the test.
func zooConnect(t *testing.T, addrs []string, opts ...zkcore.Option) *zkcore.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := gozk.Connect(ctx, addrs, append([]zkcore.Option{zkcore.WithSessionTimeout(session)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c
}

func (r *zooRig) client(opts ...zkcore.Option) *zkcore.Client {
	r.t.Helper()
	return zooConnect(r.t, []string{r.server.Addr()}, append(opts, zkcore.WithObserver(r.events))...)
}

// broken is the mutex of the test through the tap, straight the one beside it.
func (r *zooRig) broken(opts ...mutex.ZooKeeperOption) *mutex.Mutex {
	r.t.Helper()
	return mutex.NewZooKeeper(r.client(zkcore.WithDialer(r.tap.dial)), r.path, opts...)
}

func (r *zooRig) straight(opts ...mutex.ZooKeeperOption) *mutex.Mutex {
	r.t.Helper()
	return mutex.NewZooKeeper(r.client(), r.path, opts...)
}

// children are the raw names below the test's path, in the order of their
// digits.
func (r *zooRig) children() []string {
	r.t.Helper()
	names, err := r.list()
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	require.NoError(r.t, err)
	sort.Slice(names, func(i, j int) bool { return digitsOf(names[i]) < digitsOf(names[j]) })
	return names
}

// list asks the oracle, and another one when it does not answer: the bare driver
// waits for minutes for a server that was restarting when it came.
func (r *zooRig) list() (names []string, err error) {
	type answer struct {
		names []string
		err   error
	}
	for range 10 {
		c, got := r.oracle, make(chan answer, 1)
		go func() {
			names, _, err := c.Children(r.path)
			got <- answer{names, err}
		}()
		select {
		case a := <-got:
			if a.err == nil || errors.Is(a.err, zk.ErrNoNode) {
				return a.names, a.err
			}
			err = a.err
		case <-time.After(3 * time.Second):
			err = errors.New("the oracle gets no answer")
		}
		r.oracle = zooOracle(r.t, r.addrs...)
	}
	return nil, err
}

func digitsOf(name string) string { return name[max(len(name)-10, 0):] }

// free waits until no contender is at the path.
func (r *zooRig) free(within time.Duration) {
	r.t.Helper()
	start := time.Now()
	require.Eventually(r.t, func() bool { return len(r.children()) == 0 }, within, 2*time.Millisecond, "a node stays")
	if took := time.Since(start); took > soon {
		r.t.Logf("the nodes were gone after %v", took)
	}
}

// waiting starts n Locks of m, one behind the other, and returns when all stand
// in line. got hears of the holds.
func (r *zooRig) waiting(ctx context.Context, m *mutex.Mutex, n int, got chan<- *recipes.Hold) {
	r.t.Helper()
	for range n {
		before := len(r.children())
		go func() {
			if h, err := m.Lock(ctx); err == nil {
				got <- h
			}
		}()
		eventually(r.t, "in line", func() bool { return len(r.children()) > before })
	}
}

// plant makes a foreign node below the test's path.
func (r *zooRig) plant(name string, flags int32, acl []zk.ACL) string {
	r.t.Helper()
	path := r.path
	if name != "" {
		path += "/" + name
	}
	made, err := r.oracle.Create(path, []byte("foreign"), flags, acl)
	require.NoError(r.t, err)
	return made
}

// lockAgain locks after an outage: until the client has a session again, its
// patience with the store is over at once.
func lockAgain(t *testing.T, m *mutex.Mutex) *recipes.Hold {
	t.Helper()
	for start := time.Now(); ; {
		h, err := m.Lock(context.WithoutCancel(t.Context()))
		if err == nil {
			return h
		}
		if !errors.Is(err, recipes.ErrUnavailable) || time.Since(start) > 20*time.Second {
			t.Errorf("lock after the outage: %v", err)
			return nil
		}
	}
}
