package faultproxy

import (
	"bufio"
	"encoding/binary"
	"strconv"
	"sync/atomic"
	"time"
)

// zoo is the protocol of ZooKeeper, 3.4 to 3.9. The first frame of each
// direction is the handshake and has no header.
type zoo struct {
	state *zooState
	conn  int

	began bool        // the client's handshake was read
	hello bool        // the server's was
	plain atomic.Bool // a word in place of a handshake: no frames, no requests

	asked   atomic.Int64 // session that the client comes back to
	session atomic.Int64 // session that the server granted
	zxid    atomic.Int64 // latest that the server told
}

func newZoo(state *zooState, conn int) protocol { return &zoo{state: state, conn: conn} }

// The sorts of frames of a server, as reply.kind.
const (
	zooStream = 's'
	zooHello  = 'h'
	zooReply  = 'r'
	zooEvent  = 'e'
)

// Numbers in place of a request's own.
const (
	xidEvent = -1
	xidPing  = -2
)

func (z *zoo) readRequest(r *bufio.Reader) (*Request, error) {
	if z.plain.Load() {
		raw, err := whatIsThere(r)
		return &Request{At: time.Now(), raw: raw, Zoo: &ZooRequest{}}, err
	}
	if word, ok := fourLetters(r); ok && !z.began {
		z.plain.Store(true)
		_, err := r.Discard(len(word))
		return newZooRequest(&ZooRequest{ZooOp: ZooOp{Name: word}}, []byte(word), 0), err
	}
	raw, err := readZooFrame(r)
	if err != nil {
		return nil, err
	}
	body := raw[4:]
	if !z.began {
		z.began = true
		q := parseConnect(body)
		z.asked.Store(q.Session)
		return newZooRequest(q, raw, 1), nil
	}
	q := parseZooRequest(body)
	q.Session = z.session.Load()
	return newZooRequest(q, raw, 1), nil
}

func newZooRequest(q *ZooRequest, raw []byte, frames int) *Request {
	return &Request{
		Name: q.Name, Args: append([]string{q.Name}, q.paths()...), At: time.Now(), Zoo: q,
		raw: raw, frames: frames, beat: q.Name == "ping",
	}
}

// fourLetters: an operator's command, such as ruok, comes in place of the
// handshake. As a length it would be far too large.
func fourLetters(r *bufio.Reader) (string, bool) {
	head, err := r.Peek(4)
	if err != nil {
		return "", false
	}
	for _, b := range head {
		if b < 'a' || b > 'z' {
			return "", false
		}
	}
	return string(head), true
}

func whatIsThere(r *bufio.Reader) ([]byte, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	raw := make([]byte, r.Buffered())
	_, err := r.Read(raw)
	return raw, err
}

func (z *zoo) readReply(r *bufio.Reader) (*reply, error) {
	if _, err := r.Peek(1); err != nil {
		return nil, err
	}
	if z.plain.Load() {
		raw, err := whatIsThere(r)
		return &reply{raw: raw, kind: zooStream}, err
	}
	raw, err := readZooFrame(r)
	if err != nil {
		return nil, err
	}
	if !z.hello {
		z.hello = true
		z.session.Store(z.state.greet(z.conn, z.asked.Load(), raw))
		return &reply{raw: raw, kind: zooHello}, nil
	}
	b := jute{b: raw[4:]}
	rep := &reply{raw: raw, kind: zooReply, xid: b.int32()}
	zxid := b.int64()
	rep.code = b.int32()
	rep.failed = rep.code != 0
	rep.beat = rep.xid == xidPing
	switch {
	case b.short: // too short for a header: it belongs to no request
		rep.kind = zooStream
	case rep.xid == xidEvent:
		rep.kind = zooEvent
		rep.message = event(&b)
	case zxid > 0:
		z.zxid.Store(zxid)
	}
	return rep, nil
}

// match goes by number, not by order: the answer to an auth may overtake.
func (z *zoo) match(open []*entry, rep *reply) int {
	for i, e := range open {
		q := e.req.Zoo
		if e.forged != nil || e.reset {
			continue
		}
		switch {
		case rep.kind == zooHello && q.Name == "connect":
			return i
		case rep.kind == zooReply && q.Name != "connect" && q.Xid == rep.xid:
			return i
		}
	}
	return -1
}

// errorReply forges the answer that a request gets when it fails, whose body
// is empty. To a handshake it is that the session has expired.
func (z *zoo) errorReply(req *Request, text string) []byte {
	if req.Zoo.Name == "connect" {
		return helloFrame(0, 0, make([]byte, 16))
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(req.Zoo.Xid))
	b = binary.BigEndian.AppendUint64(b, uint64(z.zxid.Load()))
	return zooFrame(binary.BigEndian.AppendUint32(b, uint32(zooCode(text))))
}

func event(b *jute) *Push {
	kind, state := b.int32(), b.int32()
	name, ok := eventNames[kind]
	if !ok {
		name = strconv.Itoa(int(kind))
	}
	return &Push{Kind: name, Channel: b.text(), Payload: strconv.Itoa(int(state))}
}

var eventNames = map[int32]string{
	-1: "None", 1: "NodeCreated", 2: "NodeDeleted", 3: "NodeDataChanged", 4: "NodeChildrenChanged",
	5: "DataWatchRemoved", 6: "ChildWatchRemoved", 7: "PersistentWatchRemoved",
}
