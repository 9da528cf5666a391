package mutex_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// network is what lies between one client and the embedded server of a world.
type network struct {
	server *miniredis.Miniredis
	dead   atomic.Bool // bytes of both directions vanish; nothing is closed
	refuse atomic.Bool
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
}

func (w *network) dial(context.Context, string, string) (net.Conn, error) {
	if w.refuse.Load() {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
	}
	ours, theirs := net.Pipe()
	server, err := w.server.Dial()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.conns[theirs] = struct{}{}
	w.mu.Unlock()
	go w.carry(theirs, server)
	go w.carry(server, theirs)
	return ours, nil
}

func (w *network) carry(from, to net.Conn) {
	defer func() { _ = to.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if w.dead.Load() {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// reset cuts every connection once.
func (w *network) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		_ = c.Close()
		delete(w.conns, c)
	}
}

// world is an embedded server in virtual time.
type world struct {
	server *miniredis.Miniredis
	events *events
}

// events is an observer that keeps what it hears.
type events struct {
	mu  sync.Mutex
	all []recipes.Event
}

func (e *events) Observe(ev recipes.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) count(kind string) (n int) {
	for _, k := range e.kinds() {
		if k == kind {
			n++
		}
	}
	return n
}

func (e *events) kinds() (kinds []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.all {
		kinds = append(kinds, ev.Kind)
	}
	return kinds
}

// client is one more client of the world, with a network of its own.
func (w *world) client(t *testing.T, opts ...rediscore.Option) (*rediscore.Client, *network) {
	t.Helper()
	line := &network{server: w.server, conns: make(map[net.Conn]struct{})}
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", Dialer: line.dial})
	c, err := goredis.New(rdb, append([]rediscore.Option{rediscore.WithObserver(w.events)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		line.dead.Store(false)
		line.refuse.Store(false)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = c.Close(ctx)
		_ = rdb.Close()
	})
	return c, line
}

func inVirtualTime(t *testing.T, f func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		server := miniredis.NewMiniRedis()
		server.ClockTTL(true)
		t.Cleanup(server.Close)
		f(t, &world{server: server, events: &events{}})
	})
}

func lostReason(t *testing.T, err error) recipes.Reason {
	t.Helper()
	var lost *recipes.LostError
	require.ErrorAs(t, err, &lost)
	require.ErrorIs(t, err, recipes.ErrLost)
	require.ErrorIs(t, err, recipes.ErrNotHeld)
	return lost.Reason
}
