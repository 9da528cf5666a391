// Package faultproxy is a TCP proxy in front of one server, of Redis or
// ZooKeeper, that breaks connections on purpose: it delays, cuts, half-closes, pauses or swallows
// one direction, and it understands the protocol well enough to do such a
// thing to one chosen request or its reply.
//
//	p := faultproxy.New(t, server.Addr())
//	lost := p.OnRequest(faultproxy.Script("orders:42"), faultproxy.SwallowReplyAndReset())
//	... // a client of p.Addr() acquires
//	<-lost.Hit() // the server has run the script, the client will never know
//
// It also logs the requests and counts round trips. In front of ZooKeeper, see
// NewZooKeeper, it knows operations and paths, watch events and sessions:
//
//	p := faultproxy.NewZooKeeper(t, server.Addr())
//	p.OnRequest(All(Op("create"), Under("/locks")), SwallowReplyAndReset())
//	p.OnPush(DropFrom("/locks/a"))
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores/freeport"
)

// Proxy is a proxy in front of one server. Its methods may be called from
// several goroutines.
type Proxy struct {
	backend string
	proto   func(p *Proxy, conn int) protocol
	port    *freeport.Port
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup // one for each listener and connection
	log     journal

	pushMu sync.Mutex
	onPush func(Push) int

	mu       sync.Mutex
	ln       net.Listener // nil while connections are refused
	conns    []*Conn      // open, in the order they came
	accepted int
	states   [2]state // what a new connection starts with, by direction
	rules    []*Rule
	cuts     []*cut

	zoo zooState
}

// New starts a proxy for one test in front of the Redis server at backend.
func New(t testing.TB, backend string) *Proxy {
	t.Helper()
	return forTest(t, backend, Start)
}

// NewZooKeeper starts a proxy for one test in front of the ZooKeeper server at
// backend.
func NewZooKeeper(t testing.TB, backend string) *Proxy {
	t.Helper()
	return forTest(t, backend, StartZooKeeper)
}

func forTest(t testing.TB, backend string, start func(string) (*Proxy, error)) *Proxy {
	t.Helper()
	p, err := start(backend)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Start starts a proxy in front of the Redis server at backend. It dials only
// when a client comes.
func Start(backend string) (*Proxy, error) {
	return start(backend, func(*Proxy, int) protocol { return newResp() })
}

// StartZooKeeper starts a proxy in front of the ZooKeeper server at backend,
// whose connections are not encrypted. It dials only when a client comes.
func StartZooKeeper(backend string) (*Proxy, error) {
	return start(backend, func(p *Proxy, conn int) protocol { return newZoo(&p.zoo, conn) })
}

func start(backend string, proto func(p *Proxy, conn int) protocol) (*Proxy, error) {
	port, err := freeport.Take()
	if err != nil {
		return nil, fmt.Errorf("faultproxy: %w", err)
	}
	p := &Proxy{backend: backend, proto: proto, port: port}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if err := p.Refuse(false); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Addr is the address that clients dial instead of the server's.
func (p *Proxy) Addr() string { return p.port.Addr() }

// Backend is the address of the server.
func (p *Proxy) Backend() string { return p.backend }

// Refuse makes the proxy refuse new connections, as a server that is down
// does. Connections that are open stay. It fails only to listen again.
func (p *Proxy) Refuse(on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on == (p.ln == nil) {
		return nil
	}
	if on {
		err := p.ln.Close()
		p.ln = nil
		return err
	}
	if p.ctx.Err() != nil {
		return errors.New("faultproxy: closed")
	}
	ln, err := net.Listen("tcp", p.port.Addr())
	if err != nil {
		return fmt.Errorf("faultproxy: %w", err)
	}
	p.ln = ln
	p.wg.Go(func() { p.accept(ln) })
	return nil
}

func (p *Proxy) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return // closed
		}
		p.adopt(ln, c.(*net.TCPConn))
	}
}

// adopt takes in a new connection, unless it came in the instant in which its
// listener was closed.
func (p *Proxy) adopt(ln net.Listener, client *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ln != ln {
		_ = client.SetLinger(0)
		_ = client.Close()
		return
	}
	p.accepted++
	p.log.count(func(s *Stats) { s.Accepted++ })
	c := &Conn{p: p, id: p.accepted, proto: p.proto(p, p.accepted), client: client, done: make(chan struct{})}
	for d, s := range p.states {
		c.lanes[d] = newLane(s)
	}
	p.conns = append(p.conns, c)
	p.wg.Go(func() {
		c.run()
		p.drop(c)
	})
}

func (p *Proxy) drop(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = slices.DeleteFunc(p.conns, func(o *Conn) bool { return o == c })
}

// Conns are the connections that are open, in the order they came.
func (p *Proxy) Conns() []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.conns)
}

// Close resets every connection and returns when all goroutines have ended.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.Refuse(true)
	p.Cut()
	p.wg.Wait()
	return errors.Join(err, p.port.Close())
}

// Dialer dials through the proxy that stands in front of an address, and an
// address without one directly: for clients that learn addresses from a
// sentinel or a cluster.
func Dialer(proxies ...*Proxy) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		for _, p := range proxies {
			if p.Backend() == addr {
				addr = p.Addr()
				break
			}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
}
