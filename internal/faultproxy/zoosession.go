package faultproxy

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"
)

// Session is what one handshake with ZooKeeper came to.
type Session struct {
	Conn     int   // number of the connection
	ID       int64 // 0 when the session that the client came back to has expired
	Password []byte
	Timeout  time.Duration // that the server granted
	Told     time.Duration // that the client was told, see TellTimeout
	Resumed  bool          // the client came back to it
}

// zooState is what the connections of one proxy share.
type zooState struct {
	mu       sync.Mutex
	sessions []Session
	told     time.Duration
}

// Sessions are the answers to handshakes so far, in the order they came.
// Reset leaves them.
func (p *Proxy) Sessions() []Session {
	p.zoo.mu.Lock()
	defer p.zoo.mu.Unlock()
	return slices.Clone(p.zoo.sessions)
}

// Session is what the latest handshake came to; ok is false before the first.
func (p *Proxy) Session() (s Session, ok bool) {
	list := p.Sessions()
	if len(list) == 0 {
		return Session{}, false
	}
	return list[len(list)-1], true
}

// TellTimeout makes later handshakes tell the client another time-out than the
// one that the server has granted and goes by. 0 ends it.
func (p *Proxy) TellTimeout(d time.Duration) {
	p.zoo.mu.Lock()
	defer p.zoo.mu.Unlock()
	p.zoo.told = d
}

// greet reads the server's handshake, returns the session, and rewrites the time-out in it when the
// client is to be told another.
func (s *zooState) greet(conn int, asked int64, raw []byte) int64 {
	b := jute{b: raw[4:]}
	b.int32() // protocol version
	at := len(raw) - len(b.b)
	granted := time.Duration(b.int32()) * time.Millisecond
	n := Session{Conn: conn, Timeout: granted, Told: granted, ID: b.int64()}
	n.Password = slices.Clone(b.buffer())
	n.Resumed = asked != 0 && n.ID == asked

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told > 0 && n.ID != 0 && !b.short {
		n.Told = s.told
		binary.BigEndian.PutUint32(raw[at:], uint32(s.told.Milliseconds()))
	}
	s.sessions = append(s.sessions, n)
	return n.ID
}

// helloFrame is a server's handshake.
func helloFrame(timeout time.Duration, id int64, password []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0) // protocol version
	b = binary.BigEndian.AppendUint32(b, uint32(timeout.Milliseconds()))
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	b = binary.BigEndian.AppendUint32(b, uint32(len(password)))
	b = append(b, password...)
	return zooFrame(append(b, 0)) // not read-only
}
