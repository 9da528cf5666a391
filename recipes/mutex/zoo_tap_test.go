package mutex_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
)

// tap is the dialer of one ZooKeeper client: it counts what passes and breaks
// it. A request is one Write of the driver.
type tap struct {
	mu       sync.Mutex
	conns    map[*tapConn]struct{}
	dark     bool // bytes of both directions vanish; nothing is closed
	refuse   bool
	requests []zooRequest
	wakes    int // watch events
	flights  int // requests sent before the answer to the one before had come
	open     int // requests without an answer
	fate     func(q zooRequest) fate
}

// zooRequest is one request as the tap saw it.
type zooRequest struct {
	op   string
	path string
}

type fate int

const (
	letPass     fate = iota
	cutBefore        // the connection is reset and the request lost
	cutAfter         // the connection is reset behind the request, before its answer
	cutAnswered      // the connection is reset at the answer's first byte
)

var errTapped = errors.New("cut by the test")

var zooOps = map[int32]string{
	1: "create", 2: "delete", 3: "exists", 4: "get", 5: "set", 9: "sync", 11: "ping", 12: "list",
	14: "check", 19: "create", 100: "auth", 101: "setWatches", -11: "close",
}

func newTap() *tap { return &tap{conns: map[*tapConn]struct{}{}} }

func (x *tap) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	x.mu.Lock()
	refuse := x.refuse
	x.mu.Unlock()
	if refuse {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errTapped}
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w := &tapConn{Conn: c, tap: x}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.conns[w] = struct{}{}
	return w, nil
}

// cut resets all connections; refuse keeps new ones out.
func (x *tap) cut(refuse bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.refuse = refuse
	for c := range x.conns {
		_ = c.Conn.Close()
	}
	clear(x.conns)
	x.open = 0
}

// darken lets bytes vanish, or ends that; then the connections are reset, since
// the bytes are missing.
func (x *tap) darken(on bool) {
	x.mu.Lock()
	x.dark = on
	x.mu.Unlock()
	if !on {
		x.cut(false)
	}
}

func (x *tap) decide(f func(q zooRequest) fate) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fate = f
}

// count is how many requests of an operation were sent since reset.
func (x *tap) count(op string) (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, q := range x.requests {
		if q.op == op {
			n++
		}
	}
	return n
}

func (x *tap) woken() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.wakes
}

func (x *tap) together() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.flights
}

func (x *tap) reset() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.requests, x.wakes, x.flights = nil, 0, 0
}

type tapConn struct {
	net.Conn
	tap    *tap
	shaken bool
	cutIn  bool // at the next byte from the server
	in     []byte
	opened bool
}

func (c *tapConn) Write(b []byte) (int, error) {
	first := !c.shaken
	c.shaken = true
	c.tap.mu.Lock()
	dark := c.tap.dark
	does := letPass
	if !first {
		q := parseZoo(b)
		if q.op != "ping" {
			c.tap.requests = append(c.tap.requests, q)
			if c.tap.open > 0 {
				c.tap.flights++
			}
			c.tap.open++
		}
		if c.tap.fate != nil {
			does = c.tap.fate(q)
		}
		c.cutIn = c.cutIn || does == cutAnswered
	}
	c.tap.mu.Unlock()
	switch {
	case does == cutBefore:
		c.tap.cut(false)
		return 0, errTapped
	case dark:
		return len(b), nil
	}
	n, err := c.Conn.Write(b)
	if does == cutAfter {
		c.tap.cut(false)
	}
	return n, err
}

func parseZoo(b []byte) zooRequest {
	if len(b) < 12 {
		return zooRequest{}
	}
	q := zooRequest{op: zooOps[int32(binary.BigEndian.Uint32(b[8:]))]}
	if len(b) >= 16 && q.op != "check" {
		if n := int(binary.BigEndian.Uint32(b[12:])); n >= 0 && 16+n <= len(b) {
			q.path = string(b[16 : 16+n])
		}
	}
	return q
}

func (c *tapConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		c.tap.mu.Lock()
		dark, cut := c.tap.dark, c.cutIn && n > 0
		if !dark && !cut {
			c.walk(b[:n])
		}
		c.tap.mu.Unlock()
		if cut {
			c.tap.cut(false)
			return 0, errTapped
		}
		if !dark || err != nil {
			return n, err
		}
	}
}

// walk follows the answers: which are events, how many are still to come.
func (c *tapConn) walk(b []byte) {
	c.in = append(c.in, b...)
	for len(c.in) >= 4 {
		size := int(binary.BigEndian.Uint32(c.in))
		if len(c.in) < 4+size {
			return
		}
		frame := c.in[4 : 4+size]
		c.in = c.in[4+size:]
		if !c.opened {
			c.opened = true
			continue
		}
		switch int32(binary.BigEndian.Uint32(frame)) {
		case -1:
			c.tap.wakes++
		case -2:
		default:
			c.tap.open = max(c.tap.open-1, 0)
		}
	}
}

func TestTapReadsWhatTheDriverWrites(t *testing.T) {
	r := newZooRig(t)
	m := r.broken()
	release(t, lockIn(t, m, patience))
	r.tap.reset()
	release(t, lockIn(t, m, patience))
	r.tap.mu.Lock()
	defer r.tap.mu.Unlock()
	var ops []string
	for _, q := range r.tap.requests {
		if q.op != "check" {
			ops = append(ops, q.op)
			if q.op != "list" {
				continue
			}
			if q.path != r.path {
				t.Fatalf("the path of a list is %q", q.path)
			}
		}
	}
	if strings.Join(ops, " ") != "create list delete" {
		t.Fatalf("a pair sends %q", ops)
	}
}
