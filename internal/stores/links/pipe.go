package links

import (
	"net"
	"strconv"
	"time"
)

func (n *Net) serve(from int, ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return // closed
		}
		if !n.keep(c) {
			_ = c.Close()
			return
		}
		n.tasks.Go(func() {
			defer n.drop(c)
			n.connect(from, c)
		})
	}
}

// connect serves one connection that a server opened to its proxy, from the
// handshake to the end.
func (n *Net) connect(from int, near net.Conn) {
	_ = near.SetDeadline(time.Now().Add(10 * time.Second))
	port, err := readRequest(near)
	if err != nil {
		return
	}
	n.mu.Lock()
	to, known := n.owners[port]
	n.mu.Unlock()
	if !known {
		_ = reply(near, notAllowed)
		return
	}
	g := n.gate(from, to)
	if !n.hold(near, g) {
		return
	}
	far, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 5*time.Second)
	if err != nil {
		_ = reply(near, refused)
		return
	}
	defer n.drop(far)
	if !n.keep(far) || reply(near, succeeded) != nil {
		return
	}
	_ = near.SetDeadline(time.Time{})
	n.tasks.Go(func() { n.pump(far, near, g) })
	n.pump(near, far, g)
}

// hold waits until the link is whole, and is false when the caller gives up
// before. It learns of that by a read: the caller has nothing to say yet.
func (n *Net) hold(near net.Conn, g *gate) bool {
	_ = near.SetReadDeadline(time.Time{})
	gone := make(chan struct{})
	n.tasks.Go(func() {
		defer close(gone)
		_, _ = near.Read(make([]byte, 1))
	})
	select {
	case <-gone:
		return false
	case <-n.done:
		return false
	case <-g.wait():
	}
	_ = near.SetReadDeadline(time.Now()) // ends the read
	<-gone
	return near.SetReadDeadline(time.Time{}) == nil
}

// pump carries bytes one way. The end of one side is news like any other: the
// other side hears of it when the link is whole, and not before.
func (n *Net) pump(from, to net.Conn, g *gate) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		size, err := from.Read(buf)
		select {
		case <-g.wait():
		case <-n.done:
			return
		}
		if size > 0 {
			if _, err := to.Write(buf[:size]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
