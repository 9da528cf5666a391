package gozk

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/zkcore"
)

// wire is one connection of a session. The driver writes each request with one
// Write, the connect request first.
//
// A request is its length, xid and opcode, then for most kinds the path, each a
// big-endian int32 or a length and bytes; an answer is its length, xid, zxid and
// error code. An xid below zero is a ping or an event.
type wire struct {
	net.Conn
	link     *link
	limit    time.Time // for the server to accept the session
	since    int64     // zxid of the last answer on the connection before
	shaken   bool      // the connect request is out
	accepted atomic.Bool
	in       answers
}

const (
	opDelete   = 2
	opGet      = 4
	opSet      = 5
	opCreate   = 1
	opSync     = 9
	opChildren = 12
	opMulti    = 14

	opCreateContainer = 19
	opSetWatches      = 101
)

func (w *wire) Write(b []byte) (int, error) {
	if w.link.over() {
		return 0, zkcore.ErrSessionOver
	}
	if !w.shaken {
		w.shaken = true
		return w.Conn.Write(withZxid(b, connectZxid, w.since))
	}
	var m *mark
	key, xid, ok := requestKey(b)
	if ok {
		m = w.link.writing(key, xid)
	}
	if key.opcode == opSetWatches {
		b = withZxid(b, watchesZxid, w.since)
	}
	n, err := w.Conn.Write(contained(key, b))
	if m != nil {
		close(m.written)
	}
	return n, err
}

// contained makes the create of a container what the server takes for one: a
// request of another number and the same form. The driver has a call for it, but
// that one reads its answer without a lock when the session is closed meanwhile;
// and sent with the plain number it would become a persistent node.
func contained(key frameKey, b []byte) []byte {
	if key.opcode != opCreate || int32(binary.BigEndian.Uint32(b[len(b)-4:])) != int32(zkcore.Container) {
		return b
	}
	b = bytes.Clone(b)
	binary.BigEndian.PutUint32(b[8:], opCreateContainer)
	return b
}

// requestKey reads what tells a request apart.
func requestKey(b []byte) (key frameKey, xid int32, ok bool) {
	if len(b) < 12 {
		return key, 0, false
	}
	xid = int32(binary.BigEndian.Uint32(b[4:]))
	key.opcode = int32(binary.BigEndian.Uint32(b[8:]))
	switch key.opcode {
	case opMulti: // paths come later in the frame
		return key, xid, true
	case opCreate, opDelete, opGet, opSet, opSync, opChildren:
	default:
		return key, xid, false
	}
	if len(b) < 16 {
		return key, xid, false
	}
	size := int(binary.BigEndian.Uint32(b[12:]))
	if size < 0 || size > len(b)-16 {
		return key, xid, false
	}
	key.path = string(b[16 : 16+size])
	return key, xid, true
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.in.feed(b[:n], w.link.answered, w.acceptance)
	if err != nil && !w.accepted.Load() {
		w.link.refusedBy(w.RemoteAddr().String(), err)
	}
	return n, err
}

// acceptance is the server's answer to the connect request.
func (w *wire) acceptance(timeout time.Duration) {
	w.accepted.Store(true)
	w.link.accept(timeout)
}

// SetReadDeadline keeps the driver from waiting for an answer to its connect
// request much longer than a session lasts.
func (w *wire) SetReadDeadline(t time.Time) error {
	if !w.accepted.Load() && (t.IsZero() || t.After(w.limit)) {
		t = w.limit
	}
	return w.Conn.SetReadDeadline(t)
}

// answers walks the stream of answers, however it is cut into reads.
type answers struct {
	first bool // the answer to the connect request is over
	head  [16]byte
	have  int
	skip  int
}

// The parts of a frame that are looked at: length, xid and zxid of an answer;
// length, version and time-out of the answer to the connect request.
const (
	answerHead  = 16
	zxidAt      = 8 // to the end of it
	connectHead = 12
)

// feed hands on what the head of each answer says, before the driver sees the
// rest of it, and takes the zxid out of it.
func (a *answers) feed(b []byte, got func(xid int32, zxid int64), accepted func(time.Duration)) {
	for len(b) > 0 {
		if a.skip > 0 {
			n := min(a.skip, len(b))
			a.skip -= n
			b = b[n:]
			continue
		}
		want := answerHead
		if !a.first {
			want = connectHead
		}
		n := copy(a.head[a.have:want], b)
		if a.first {
			clear(b[min(max(zxidAt-a.have, 0), n):n])
		}
		a.have += n
		b = b[n:]
		if a.have < want {
			return
		}
		if a.first {
			got(int32(binary.BigEndian.Uint32(a.head[4:])), int64(binary.BigEndian.Uint64(a.head[8:])))
		} else {
			accepted(time.Duration(int32(binary.BigEndian.Uint32(a.head[8:]))) * time.Millisecond)
		}
		size := int(binary.BigEndian.Uint32(a.head[:4]))
		a.skip = max(size-(want-4), 0)
		a.first, a.have = true, 0
	}
}
