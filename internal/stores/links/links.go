// Package links stands between the servers of an ensemble, so that a test can
// cut the network between two of them.
//
// Each server is given a SOCKS 5 proxy of its own for everything it dials, and
// no address in its configuration changes. So it does not matter which of two
// servers calls the other, or from where it has the other's address.
//
// A cut is silent, as that of a cable: connections stay open and nothing
// arrives, a new connection is neither accepted nor refused, and what was
// under way arrives when the link is mended.
package links

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Net is the network between the servers. Its methods may be called from
// several goroutines.
type Net struct {
	done  chan struct{} // closed by Close
	tasks sync.WaitGroup

	mu      sync.Mutex
	owners  map[int]int // port -> server
	gates   map[[2]int]*gate
	closers map[io.Closer]struct{} // listeners and connections
	closed  bool
}

// New is a network without servers.
func New() *Net {
	return &Net{
		done:    make(chan struct{}),
		owners:  make(map[int]int),
		gates:   make(map[[2]int]*gate),
		closers: make(map[io.Closer]struct{}),
	}
}

// Join adds a server that listens on these loopback ports, and returns the
// address of the proxy that it must dial through.
func (n *Net) Join(server int, ports ...int) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("join server %d: %w", server, err)
	}
	if !n.keep(ln) {
		return "", errors.Join(net.ErrClosed, ln.Close())
	}
	n.mu.Lock()
	for _, p := range ports {
		n.owners[p] = server
	}
	n.mu.Unlock()
	n.tasks.Go(func() { n.serve(server, ln) })
	return ln.Addr().String(), nil
}

// Cut cuts the link between two servers, in both directions.
func (n *Net) Cut(a, b int) { n.gate(a, b).shut() }

// Mend mends the link between two servers.
func (n *Net) Mend(a, b int) { n.gate(a, b).lift() }

// Close ends all connections and returns when nothing runs any more.
func (n *Net) Close() error {
	n.mu.Lock()
	first := !n.closed
	n.closed = true
	if first {
		close(n.done)
	}
	for c := range n.closers {
		_ = c.Close()
	}
	n.mu.Unlock()
	n.tasks.Wait()
	return nil
}

// keep has Close close c as well. It is false when that came first.
func (n *Net) keep(c io.Closer) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closers[c] = struct{}{}
	}
	return !n.closed
}

func (n *Net) drop(c io.Closer) {
	_ = c.Close()
	n.mu.Lock()
	delete(n.closers, c)
	n.mu.Unlock()
}

func (n *Net) gate(a, b int) *gate {
	n.mu.Lock()
	defer n.mu.Unlock()
	pair := [2]int{min(a, b), max(a, b)}
	if n.gates[pair] == nil {
		n.gates[pair] = newGate()
	}
	return n.gates[pair]
}

// gate is one link: the channel is closed while it is whole.
type gate struct {
	mu    sync.Mutex
	whole chan struct{}
	cut   bool
}

func newGate() *gate {
	g := &gate{whole: make(chan struct{})}
	close(g.whole)
	return g
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.cut {
		g.cut, g.whole = true, make(chan struct{})
	}
}

func (g *gate) lift() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut {
		g.cut = false
		close(g.whole)
	}
}

// wait is the channel that is closed when the link is whole.
func (g *gate) wait() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.whole
}
