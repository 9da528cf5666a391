package gozk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/zkcore"
)

// link stands between the driver and the network for one session: it makes the
// connections and follows the frames on them. From that it knows when a request
// has been written, which the driver does not tell, so that requests can follow
// each other in one flight; and the zxid of an answer, which is a new node's
// fence. And it is the gate: once the session is over, nothing is sent.
type link struct {
	set     *settings.ZooKeeper
	timeout time.Duration   // as asked
	life    context.Context // of the session
	gone    <-chan struct{}
	shut    context.CancelFunc

	mu      sync.Mutex
	granted time.Duration // the time-out, by the server
	wire    *wire
	zxid    int64 // of the last answer
	fails   int
	err     error // of the last connection that failed
	waiting map[frameKey][]*mark
	sent    map[int32]*mark // by xid, answer to come
}

// frameKey is how a request is told apart before the driver has given it a
// number.
type frameKey struct {
	opcode int32
	path   string
}

// mark follows one request over the wire.
type mark struct {
	key     frameKey
	written chan struct{}
	xid     int32 // 0: not written
	zxid    int64
}

func newLink(set *settings.ZooKeeper, timeout time.Duration) *link {
	l := &link{
		set: set, timeout: timeout,
		waiting: make(map[frameKey][]*mark), sent: make(map[int32]*mark),
	}
	l.life, l.shut = context.WithCancel(context.Background())
	l.gone = l.life.Done()
	return l
}

// expect makes a mark for the next request of that key; written is closed when
// it is on the wire.
func (l *link) expect(key frameKey, written chan struct{}) *mark {
	m := &mark{key: key, written: written}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[key] = append(l.waiting[key], m)
	return m
}

// settle is the end of a request: its answer's zxid, and whether it was written.
func (l *link) settle(m *mark) (zxid int64, written bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.xid != 0 {
		delete(l.sent, m.xid)
		return m.zxid, true
	}
	list := l.waiting[m.key]
	for i, other := range list {
		if other == m {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if l.waiting[m.key] = list; len(list) == 0 {
		delete(l.waiting, m.key)
	}
	return 0, false
}

// writing notes the number of a request that is about to be written.
func (l *link) writing(key frameKey, xid int32) *mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.waiting[key]
	if len(list) == 0 {
		return nil
	}
	m := list[0]
	if l.waiting[key] = list[1:]; len(list) == 1 {
		delete(l.waiting, key)
	}
	m.xid = xid
	l.sent[xid] = m
	return m
}

func (l *link) answered(xid int32, zxid int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := l.sent[xid]; m != nil {
		m.zxid = zxid
	}
	if xid > 0 && zxid > 0 {
		l.zxid = zxid
	}
}

// dial is the driver's zk.Dialer. It pauses before it goes on after a failure:
// longer each time, and never all clients in step.
func (l *link) dial(network, address string, _ time.Duration) (net.Conn, error) {
	if err := l.pause(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(l.life, l.patience())
	defer cancel()
	c, err := l.set.Dial(ctx, network, address)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.fails++
		l.err = err
		return nil, err
	}
	if l.over() {
		_ = c.Close()
		return nil, zkcore.ErrSessionOver
	}
	l.fails++ // until the server has said yes
	l.wire = &wire{Conn: c, link: l, limit: time.Now().Add(l.patience()), since: l.zxid}
	return l.wire, nil
}

// patience is what one connection gets until the server has accepted it. A
// server that accepts connections and says nothing must not use up the session.
func (l *link) patience() time.Duration {
	return min(max(l.timeout/3, leastPatience), longestPatience)
}

const (
	leastPatience   = 250 * time.Millisecond
	longestPatience = 3 * time.Second
)

var errHungUp = errors.New("hung up before it accepted the session")

// refusedBy notes why a connection ended before the server had accepted the
// session.
func (l *link) refusedBy(server string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(err, io.EOF) {
		err = errHungUp
	}
	l.err = fmt.Errorf("%s: %w", server, err)
}

func (l *link) pause() error {
	l.mu.Lock()
	n := l.fails
	l.mu.Unlock()
	t := time.NewTimer(l.set.Retry.Pause(n))
	defer t.Stop()
	select {
	case <-l.gone:
		return zkcore.ErrSessionOver
	case <-t.C:
		return nil
	}
}

// connected: the server has accepted the session on this connection.
func (l *link) connected() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails, l.err = 0, nil
}

func (l *link) lastError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// accept notes the time-out that the server grants; none when it refuses.
func (l *link) accept(timeout time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if timeout > 0 {
		l.granted = timeout
	}
}

func (l *link) timeoutGranted() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.granted
}

func (l *link) over() bool { return l.life.Err() != nil }

// end shuts the gate; first reports whether it was open.
func (l *link) end() (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over() {
		return false
	}
	l.shut()
	if l.wire != nil {
		_ = l.wire.Close()
	}
	return true
}

// drop closes the connection of the moment; the driver dials anew.
func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire != nil {
		_ = l.wire.Close()
	}
}
