package faultproxy

import (
	"bufio"
	"errors"
	"time"
)

// protocol cuts the two byte streams of one connection into frames and says
// which frame answers which request; what a server sends without being asked
// comes in between. One value serves one connection: readRequest is called by
// one goroutine, readReply by another, the other methods under the
// connection's lock.
type protocol interface {
	readRequest(*bufio.Reader) (*Request, error)
	readReply(*bufio.Reader) (*reply, error)
	// match finds the request that a reply answers among the open ones, which
	// stand in the order they were sent; -1 for none.
	match(open []*entry, rep *reply) int
	// errorReply forges the reply that refuses a request.
	errorReply(req *Request, text string) []byte
}

// errMalformed says that a stream is not of the protocol. The connection is
// cut: what follows could not be told apart.
var errMalformed = errors.New("faultproxy: malformed frame")

// Request is one request as a client sent it.
type Request struct {
	Conn int       // number of its connection, 1 for the first accepted
	Name string    // Redis: the command, in capitals; ZooKeeper: the operation, as in getChildren2
	Args []string  // Redis: all words, the name as sent first; ZooKeeper: the name and the paths
	At   time.Time // when it was read

	Zoo *ZooRequest // nil for Redis

	raw     []byte
	frames  int    // how many frames answer it
	beat    bool   // a heartbeat, which comes when it pleases
	confirm string // RESP: the first word of these frames, for a subscription
}

// reply is one frame of a server.
type reply struct {
	raw     []byte
	failed  bool  // an error, which ends the answer whatever was expected
	message *Push // not nil: a message to a subscriber
	beat    bool  // the answer to a heartbeat
	kind    byte  // RESP: the type; ZooKeeper: what sort of frame
	first   string
	xid     int32 // ZooKeeper: number of the request that it answers
	code    int32 // ZooKeeper: the error, 0 for none
}

// Push is a message to a subscriber, or a watch event.
type Push struct {
	Kind    string // message, pmessage or smessage; ZooKeeper: as in NodeDeleted
	Channel string // ZooKeeper: the path
	Payload string // ZooKeeper: the state of the session, a number
}
