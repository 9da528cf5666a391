package mutex_test

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

func tlsDialer(cfg *tls.Config) func(context.Context, string, string) (net.Conn, error) {
	return (&tls.Dialer{Config: cfg}).DialContext
}

// patient sessions outlive an election on a busy machine three times.
var patient = zkcore.WithSessionTimeout(20 * time.Second)

// zooLine is a hold and a line of waiters behind it, on three clients.
type zooLine struct {
	*zooRig
	front  *recipes.Hold
	got    chan *recipes.Hold
	places []string
}

func newZooLine(t *testing.T, e *stores.ZooEnsemble) *zooLine {
	t.Helper()
	r := &zooRig{t: t, server: e.Servers()[0], addrs: e.Addrs(), events: &events{}, path: "/" + strings.ReplaceAll(t.Name(), "/", "_")}
	r.oracle = zooOracle(t, e.Addrs()...)
	l := &zooLine{zooRig: r, got: make(chan *recipes.Hold, 5)}
	for i := range 3 {
		c := zooConnect(t, e.Addrs(), patient, zkcore.WithObserver(r.events))
		m := mutex.NewZooKeeper(c, r.path)
		if i == 0 {
			l.front = lockIn(t, m, patience)
			continue
		}
		r.waiting(context.Background(), m, 2, l.got)
	}
	l.places = r.children()
	require.Len(t, l.places, 5)
	return l
}

// served: the hold is still there, and all get in, in their order.
func (l *zooLine) served() {
	t := l.t
	t.Helper()
	eventually(t, "the hold is confirmed", func() bool { return l.front.Extend(t.Context(), 0) == nil })
	require.Equal(t, l.places, l.children())
	require.Zero(t, l.events.count(recipes.EventLost))
	release(t, l.front)
	for i := range 4 {
		select {
		case h := <-l.got:
			require.Equal(t, l.places[i+1], h.Owner())
			release(t, h)
		case <-time.After(20 * time.Second):
			require.Fail(t, "nobody gets in", "place %d", i+1)
		}
	}
	l.free(slack)
}

// BL-104, BL-109.
func TestZooKilledLeaderAndRollingRestartCostNoHoldAndNoPlace(t *testing.T) {
	t.Parallel()
	e := stores.Ensemble(t)
	t.Run("leader killed", func(t *testing.T) {
		l := newZooLine(t, e)
		leader, err := e.Leader(t.Context())
		require.NoError(t, err)
		start := time.Now()
		require.NoError(t, leader.Kill())
		l.served()
		t.Logf("all served %v after the leader's death", time.Since(start))
		require.NoError(t, leader.Start(t.Context()))
	})
	t.Run("rolling restart", func(t *testing.T) {
		l := newZooLine(t, e)
		require.NoError(t, e.RollingRestart(t.Context()))
		l.served()
	})
}

// H-10: a follower that is cut off from its leader goes on answering reads and
// pings. Only what a quorum has answered counts.
func TestZooH10HolderAtACutFollowerIsToldBeforeTheNextGetsIn(t *testing.T) {
	t.Parallel()
	e := stores.Ensemble(t)
	for round := range 3 {
		followers, err := e.Followers(t.Context())
		require.NoError(t, err)
		leader, err := e.Leader(t.Context())
		require.NoError(t, err)
		cut := followers[round%len(followers)]
		path := "/cut/" + string(rune('a'+round))
		h := lockIn(t, mutex.NewZooKeeper(zooConnect(t, []string{cut.Addr()}), path), time.Second)
		other := mutex.NewZooKeeper(zooConnect(t, []string{leader.Addr()}), path)
		granted := make(chan time.Time, 1)
		go func() {
			next, err := other.Lock(context.Background())
			at := time.Now()
			if err == nil {
				_ = next.Release(context.Background())
			}
			granted <- at
		}()
		start := time.Now()
		e.Isolate(cut)
		lostBy(t, h, h.Context(t.Context()), 2*session)
		told := time.Now()
		lead := (<-granted).Sub(told)
		t.Logf("told %v after the cut, %v before the next", told.Sub(start), lead)
		require.Positive(t, lead)
		e.Heal(cut)
		_ = h.Release(t.Context())
	}
}

// Where the client knows the other servers, it goes to one that has a quorum.
func TestZooHolderLeavesACutFollowerInTimeToKeepItsHold(t *testing.T) {
	t.Parallel()
	e := stores.Ensemble(t)
	followers, err := e.Followers(t.Context())
	require.NoError(t, err)
	cut := followers[0]
	// The first connection goes to the follower, the next ones to all.
	first := true
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if first {
			addr = cut.Addr()
		}
		first = false
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	c := zooConnect(t, e.Addrs(), zkcore.WithDialer(dial), zkcore.WithSessionTimeout(6*time.Second))
	h := lockIn(t, mutex.NewZooKeeper(c, "/left"), time.Second)
	e.Isolate(cut)
	defer e.Heal(cut)
	<-time.After(8 * time.Second)
	require.NoError(t, h.Err())
	release(t, h)
}
