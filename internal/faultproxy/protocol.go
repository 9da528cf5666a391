package faultproxy

import (
	"bufio"
	"errors"
	"time"
)

// protocol cuts the two byte streams of one connection into frames and says
// which frame answers which request. Requests are answered in their order;
// what a server sends without being asked comes in between. One value serves
// one connection: readRequest is called by one goroutine, the other methods
// by another or under the connection's lock.
type protocol interface {
	readRequest(*bufio.Reader) (*Request, error)
	readReply(*bufio.Reader) (*reply, error)
	// answers tells whether a reply belongs to the oldest open request.
	answers(*Request, *reply) bool
	// errorReply forges the reply that refuses a request.
	errorReply(req *Request, text string) []byte
}

// errMalformed says that a stream is not of the protocol. The connection is
// cut: what follows could not be told apart.
var errMalformed = errors.New("faultproxy: malformed frame")

// Request is one request as a client sent it.
type Request struct {
	Conn int       // number of its connection, 1 for the first accepted
	Name string    // name of the command, in capitals
	Args []string  // all words, the name as sent first
	At   time.Time // when it was read

	raw     []byte
	frames  int    // how many frames answer it
	confirm string // RESP: the first word of these frames, for a subscription
}

// reply is one frame of a server.
type reply struct {
	raw     []byte
	failed  bool  // an error, which ends the answer whatever was expected
	message *Push // not nil: a message to a subscriber
	kind    byte  // RESP: the type
	first   string
}

// Push is a message to a subscriber.
type Push struct {
	Kind    string // message, pmessage or smessage
	Channel string
	Payload string
}
