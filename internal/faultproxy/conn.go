package faultproxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// Conn is one connection of a client with its connection to the server.
type Conn struct {
	p      *Proxy
	id     int
	proto  protocol
	lanes  [2]*lane // by direction
	open   pending
	done   chan struct{}
	once   sync.Once
	client *net.TCPConn

	flight int // requests without an answer; guarded by the log's lock

	mu     sync.Mutex
	server *net.TCPConn // nil before it is dialled
}

// ID is the number of the connection: 1 for the first the proxy accepted.
func (c *Conn) ID() int { return c.id }

// run serves the connection until it is over.
func (c *Conn) run() {
	defer c.close(true)
	if !c.dial() {
		return
	}
	var wg sync.WaitGroup
	wg.Go(c.readRequests)
	wg.Go(c.readReplies)
	wg.Go(func() { c.write(ToServer, c.server) })
	wg.Go(func() { c.write(ToClient, c.client) })
	wg.Wait()
}

func (c *Conn) dial() bool {
	ctx, cancel := context.WithTimeout(c.p.ctx, 5*time.Second)
	defer cancel()
	var d net.Dialer
	s, err := d.DialContext(ctx, "tcp", c.p.backend)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.done:
		_ = s.Close()
		return false
	default:
		c.server = s.(*net.TCPConn)
		return true
	}
}

// readRequests reads what the client sends and decides about each request.
// Requests that came in one piece go on in one piece.
func (c *Conn) readRequests() {
	r := bufio.NewReaderSize(c.client, 64<<10)
	lane := c.lanes[ToServer]
	for lane.waitRoom(c.done) {
		if _, err := r.Peek(1); err != nil {
			lane.push(item{end: endHalf})
			return
		}
		b := &batch{c: c, burst: c.p.log.newBurst()}
		for more := true; more; more = r.Buffered() > 0 {
			req, err := c.proto.readRequest(r)
			if err != nil {
				b.flush()
				c.cutIfMalformed(err)
				lane.push(item{end: endHalf})
				return
			}
			if !b.take(req) {
				// Nothing behind it may reach the server either.
				b.flush()
				_, _ = io.Copy(io.Discard, r)
				lane.push(item{end: endHalf})
				return
			}
		}
		b.flush()
	}
}

// cutIfMalformed cuts a connection that speaks something else.
func (c *Conn) cutIfMalformed(err error) {
	if errors.Is(err, errMalformed) {
		c.p.log.count(func(s *Stats) { s.Malformed++ })
		c.close(true)
	}
}

// readReplies reads what the server sends. When the server ends the
// connection, so does the proxy: neither store closes one half.
func (c *Conn) readReplies() {
	r := bufio.NewReaderSize(c.server, 64<<10)
	lane := c.lanes[ToClient]
	for lane.waitRoom(c.done) {
		rep, err := c.proto.readReply(r)
		if err != nil {
			c.cutIfMalformed(err)
			end := endClose
			if errors.Is(err, syscall.ECONNRESET) {
				end = endReset
			}
			lane.push(item{end: end})
			return
		}
		if c.p.cutHere(ToClient, rep.beat) {
			lane.push(item{end: endReset})
			return
		}
		c.answer(rep)
	}
}

// write writes what comes out of a lane. A receiver that is gone stops
// nothing: what its peer had sent before is still on its way.
func (c *Conn) write(d Direction, to *net.TCPConn) {
	over := false
	for {
		it, ok := c.lanes[d].next(c.done)
		if !ok {
			return
		}
		switch it.end {
		case endReset, endClose:
			c.close(it.end == endReset)
			return
		case endHalf:
			_ = to.CloseWrite() // fails only when to is gone
			over = true
		default:
			if !over {
				if it.done != nil {
					c.p.log.answer(it.done, it.code)
				}
				_, err := to.Write(it.data)
				over = err != nil
			}
		}
	}
}

// close ends both connections, at once and with what is under way when reset.
func (c *Conn) close(reset bool) {
	c.once.Do(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(c.done)
		for _, s := range []*net.TCPConn{c.client, c.server} {
			if s == nil {
				continue
			}
			if reset {
				_ = s.SetLinger(0)
			}
			_ = s.Close()
		}
	})
}

// resetClient ends the client's side alone.
func (c *Conn) resetClient() {
	_ = c.client.SetLinger(0)
	_ = c.client.Close()
}

// wait waits for a release, or for the end of the connection.
func (c *Conn) wait(released <-chan struct{}) {
	select {
	case <-released:
	case <-c.done:
	}
}
