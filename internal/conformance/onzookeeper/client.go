package onzookeeper

import (
	"context"
	"encoding/binary"
	"net"
	"sync"

	"github.com/holdfast-go/holdfast/zkcore"
)

// client is one client of a trial. Its connections tell the number of its
// session, which it keeps to itself.
type client struct {
	*zkcore.Client

	mu      sync.Mutex
	session int64 // the newest
	closed  bool  // in order: the server has been told
	hurried bool  // before that, what was held was abandoned with its session
}

func (c *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &overheard{Conn: conn, tell: c.began}, nil
}

func (c *client) began(session int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session
}

// ended is the end of a Close.
func (c *client) ended(inOrder bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !inOrder && !c.closed {
		c.hurried = true
	}
	c.closed = inOrder && !c.hurried
}

// closedSession is the session that must be over; 0: none need be.
func (c *client) closedSession() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		return 0
	}
	return c.session
}

// overheard reads along until the server has named the session.
type overheard struct {
	net.Conn
	tell func(session int64)
	head []byte // of the first answer
}

// The first answer: length, protocol version, time-out in milliseconds, session.
// A time-out of 0 is a refusal.
const (
	timeoutAt = 8
	sessionAt = 12
	headSize  = 20
)

func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.Conn.Read(b)
	if missing := headSize - len(o.head); missing > 0 {
		o.head = append(o.head, b[:min(n, missing)]...)
		if len(o.head) == headSize && binary.BigEndian.Uint32(o.head[timeoutAt:]) > 0 {
			o.tell(int64(binary.BigEndian.Uint64(o.head[sessionAt:])))
		}
	}
	return n, err
}
