package gozk

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/zkcore"
)

func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }

const timeout = 2 * time.Second

// line is the network in front of a session: it can be cut.
type line struct {
	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errors.New("down")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err == nil {
		l.conns = append(l.conns, c)
	}
	return c, err
}

func (l *line) set(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// open is a session with the servers, closed at the end of the test.
func open(t *testing.T, l *line, servers ...string) *session {
	t.Helper()
	set := settings.DefaultZooKeeper()
	set.Dial = l.dial
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	s, err := (&dialer{servers: servers, set: &set}).Dial(ctx, timeout, func(bool) {})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(true) })
	return s.(*session)
}

// H-11: what was asked of a session is never carried out in the next one, with
// however many servers. The driver does just that when it is left alone.
func TestNothingThatWasAskedOfASessionRunsInTheNext(t *testing.T) {
	server := stores.SharedZooKeeper(t)
	oracle := server.Client(t)
	for _, servers := range [][]string{{server.Addr()}, {server.Addr(), server.Addr(), server.Addr()}} {
		l := &line{}
		s := open(t, l, servers...)
		node := "/gate"
		_, err := s.Do(t.Context(), zkcore.Op{Kind: zkcore.Create, Path: node, Data: []byte("old"), ACL: s.set.ACL})
		require.NoError(t, err)
		l.set(true)
		type outcome struct {
			results []zkcore.Result
			err     error
		}
		done := make(chan outcome, 2)
		for _, op := range []zkcore.Op{
			{Kind: zkcore.Set, Path: node, Data: []byte("new"), Version: zkcore.AnyVersion},
			{Kind: zkcore.Create, Path: node + "-", Mode: zkcore.EphemeralSequential, ACL: s.set.ACL},
		} {
			go func() {
				r, err := s.Do(context.Background(), op)
				done <- outcome{r, err}
			}()
		}
		require.NoError(t, server.KillSession(t.Context(), s.ID()))
		l.set(false)
		for range 2 {
			o := <-done
			require.ErrorAs(t, o.err, new(*zkcore.SendError))
		}
		<-s.Done()
		// The driver would have opened a new session by now, and gone on.
		require.Never(t, func() bool {
			data, _, err := oracle.Get(node)
			return err != nil || string(data) != "old"
		}, 300*time.Millisecond, 20*time.Millisecond)
		names, _, err := oracle.Children("/")
		require.NoError(t, err)
		for _, name := range names {
			require.NotContains(t, name, "gate-")
		}
		require.NoError(t, oracle.Delete(node, -1))
	}
}

func TestCallsEndWithTheirContextWhateverTheServerDoes(t *testing.T) {
	server := stores.ZooKeeper(t)
	s := open(t, &line{}, server.Addr())
	require.NoError(t, server.Pause())
	defer func() { _ = server.Resume() }()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	out, err := s.Do(ctx,
		zkcore.Op{Kind: zkcore.Create, Path: "/late", ACL: s.set.ACL},
		zkcore.Op{Kind: zkcore.List, Path: "/"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), timeout/2)
	var none *zkcore.SendError
	require.ErrorAs(t, out[0].Err, &none)
	require.True(t, none.Sent, "it may yet be carried out")
	_, err = s.Do(ctx, zkcore.Op{Kind: zkcore.List, Path: "/"})
	require.ErrorAs(t, err, &none)
	require.False(t, none.Sent, "nothing is sent for a context that has ended")
}

func TestOpsOfOneFlightArriveInOrderAndCreatesTellTheirFence(t *testing.T) {
	server := stores.SharedZooKeeper(t)
	s := open(t, &line{}, server.Addr())
	oracle := server.Client(t)
	_, err := s.Do(t.Context(), zkcore.Op{Kind: zkcore.Create, Path: "/order", ACL: s.set.ACL})
	require.NoError(t, err)
	var wg sync.WaitGroup
	var bad atomic.Int64
	for range 8 {
		wg.Go(func() {
			for range 50 {
				out, err := s.Do(t.Context(),
					zkcore.Op{Kind: zkcore.Create, Path: "/order/n-", Mode: zkcore.EphemeralSequential, ACL: s.set.ACL},
					zkcore.Op{Kind: zkcore.List, Path: "/order"})
				if err != nil {
					bad.Add(1)
					return
				}
				own := out[0].Path[len("/order/"):]
				seen := false
				for _, name := range out[1].Children {
					seen = seen || name == own
				}
				_, stat, err := oracle.Get(out[0].Path)
				if !seen || err != nil || stat.Czxid != out[0].Stat.Czxid || stat.EphemeralOwner != s.ID() {
					bad.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, bad.Load())
}

// A server that accepts connections and says nothing must not use up the
// session: the driver alone would wait for almost seven time-outs.
func TestMuteServerIsLeftForTheNext(t *testing.T) {
	server := stores.SharedZooKeeper(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer mute.Close()
	for range 4 { // the driver shuffles the servers
		start := time.Now()
		s := open(t, &line{}, mute.Addr().String(), server.Addr())
		require.Less(t, time.Since(start), timeout+2*time.Second)
		_, err = s.Do(t.Context(), zkcore.Op{Kind: zkcore.Check, Path: "/", Version: zkcore.AnyVersion})
		require.NoError(t, err)
	}
}

func TestWatchTellsTheEndOfItsSessionToo(t *testing.T) {
	server := stores.SharedZooKeeper(t)
	s := open(t, &line{}, server.Addr())
	events := make(chan zkcore.Event, 4)
	watch := func(path string) {
		_, err := s.Do(t.Context(), zkcore.Op{Kind: zkcore.Get, Path: path, OnEvent: func(e zkcore.Event) { events <- e }})
		require.NoError(t, err)
	}
	do := func(op zkcore.Op) {
		_, err := s.Do(t.Context(), op)
		require.NoError(t, err)
	}
	do(zkcore.Op{Kind: zkcore.Create, Path: "/watched", ACL: s.set.ACL})
	watch("/watched")
	do(zkcore.Op{Kind: zkcore.Set, Path: "/watched", Version: zkcore.AnyVersion})
	require.Equal(t, zkcore.Changed, <-events)
	watch("/watched")
	do(zkcore.Op{Kind: zkcore.Delete, Path: "/watched", Version: zkcore.AnyVersion})
	require.Equal(t, zkcore.Deleted, <-events)
	watch("/zookeeper")
	require.NoError(t, s.Close(true))
	require.Equal(t, zkcore.SessionOver, <-events)
	require.Empty(t, events)
}

// Whatever else is asked in the moment of a reconnect: a watch is told what it
// has missed, and nothing that it has not.
func TestReconnectTellsWatchesWhatTheyHaveMissed(t *testing.T) {
	server := stores.SharedZooKeeper(t)
	oracle := server.Client(t)
	l := &line{}
	s := open(t, l, server.Addr())
	const changed, still = "/missed", "/unmissed"
	seen := map[string]chan zkcore.Event{changed: make(chan zkcore.Event, 1), still: make(chan zkcore.Event, 1)}
	watch := func(path string) {
		_, err := s.Do(t.Context(), zkcore.Op{Kind: zkcore.Get, Path: path, OnEvent: func(e zkcore.Event) { seen[path] <- e }})
		require.NoError(t, err)
	}
	for _, path := range []string{changed, still} {
		_, err := s.Do(t.Context(), zkcore.Op{Kind: zkcore.Create, Path: path, Mode: zkcore.Ephemeral, ACL: s.set.ACL})
		require.NoError(t, err)
	}
	watch(still)
	for range 10 {
		watch(changed)
		l.set(true)
		_, err := oracle.Set(changed, nil, -1)
		require.NoError(t, err)
		var g sync.WaitGroup
		for range 20 {
			g.Go(func() {
				_, _ = s.Do(t.Context(), zkcore.Op{Kind: zkcore.Check, Path: "/", Version: zkcore.AnyVersion})
			})
		}
		l.set(false)
		g.Wait()
		select {
		case e := <-seen[changed]:
			require.Equal(t, zkcore.Changed, e)
		case <-time.After(10 * time.Second):
			require.FailNow(t, "the change is not told")
		}
		require.Empty(t, seen[still])
	}
}
