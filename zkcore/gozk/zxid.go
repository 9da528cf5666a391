package gozk

import (
	"bytes"
	"encoding/binary"
)

// A client tells each new server the zxid of the last answer it has had: when it
// connects, so that a server that lags behind refuses it, and when it sets its
// watches again, so that the server tells at once what it has missed. The driver
// writes that number down on one goroutine and reads it on another without a
// lock, at a moment when the new connection may have brought a later one, and
// then misses what came in between. So it sees none, and the link puts in the
// one of the connection before.
const (
	connectZxid = 8  // behind the length and the protocol's version
	watchesZxid = 12 // behind the length, xid and opcode
)

// withZxid is the frame with zxid at that place; b is the driver's.
func withZxid(b []byte, at int, zxid int64) []byte {
	if len(b) < at+8 {
		return b
	}
	b = bytes.Clone(b)
	binary.BigEndian.PutUint64(b[at:], uint64(zxid))
	return b
}
