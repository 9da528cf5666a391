package zkcore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Dialer is the seam to a driver. It may grow before v1, not after.
type Dialer interface {
	// Dial opens a new session and returns when it is there, or when ctx ends.
	// It tries the servers in turn, with the pauses that WithRetry sets. onState
	// is told when the session's connection is lost and when it is back; it
	// does not block and may be called from any goroutine, one at a time. An
	// error that more attempts cannot mend (bad credentials) is an ErrRefused.
	Dial(ctx context.Context, timeout time.Duration, onState func(connected bool)) (Session, error)
}

// Session is one session at the server: one epoch. Nothing that was asked of it
// is ever carried out in another one.
type Session interface {
	ID() int64
	Timeout() time.Duration // as the server granted it
	// Do sends ops in one flight, in order, each at most once, and returns their
	// results in order. It returns when ctx ends, whatever the driver is set to;
	// the ops may then still be carried out, in this session. While the
	// connection is lost it waits for it. The error is that of the first result
	// that is a *SendError.
	Do(ctx context.Context, ops ...Op) ([]Result, error)
	// Reconnect drops the connection, so that the session goes on over another,
	// to the next server if there is one. What was sent and not answered has an
	// unknown outcome. It does not block.
	Reconnect()
	// Done is closed when the session is over: expired, or closed.
	Done() <-chan struct{}
	// Close ends the session at the server when graceful, and its nodes with it.
	// If not, it only drops the connection, for good: the nodes live until the
	// server's time-out. It does not wait long, and no request is sent after it.
	Close(graceful bool) error
}

// Kind is what an Op does.
type Kind int

// Kinds of operations.
const (
	Create Kind = iota + 1
	Delete
	Get
	List
	Set
	Sync  // brings the server that answers up to date; no quorum decides it
	Check // a transaction of one check: a quorum decides it, nothing changes
)

// Mode is what a Create makes.
type Mode int32

// Modes, with the protocol's numbers.
const (
	Persistent          Mode = 0
	Ephemeral           Mode = 1
	EphemeralSequential Mode = 3
	Container           Mode = 4
)

// AnyVersion is the version of a Delete, Set or Check that takes any.
const AnyVersion int32 = -1

// Op is one request.
type Op struct {
	Kind    Kind
	Path    string
	Data    []byte // Create, Set
	Mode    Mode   // Create
	ACL     []ACL  // Create
	Version int32  // Delete, Set, Check
	// OnEvent asks a Get for a watch. It is called once, must not block, and may
	// be called before Do returns. It is not called when the Get fails.
	OnEvent func(Event)
}

// Event is why a watch fired.
type Event int

// Events.
const (
	Deleted     Event = iota + 1
	Changed           // the node's data
	SessionOver       // there will be no event
)

// Result is the answer to one Op.
type Result struct {
	Path     string // of a Create: the node's, with the digits of the server
	Data     []byte
	Children []string
	Stat     Stat
	// Err is a *ServerError or a *SendError.
	Err error
}

// Stat is what is known of a node. A Create tells Czxid alone.
type Stat struct {
	Czxid   int64 // zxid of the change that created it: grows over all of the ensemble
	Owner   int64 // the session of an ephemeral node; 0: not ephemeral
	Version int32 // of the data
	Created time.Time
}

// Code is an answer other than yes, with the protocol's numbers.
type Code int32

// Codes that the core tells apart.
const (
	NoNode           Code = -101
	NoAuth           Code = -102
	BadVersion       Code = -103
	NoChildren       Code = -108 // ephemeral nodes have none
	NodeExists       Code = -110
	NotEmpty         Code = -111
	InvalidACL       Code = -114
	SessionMoved     Code = -118 // not carried out
	BadArguments     Code = -8
	Unimplemented    Code = -6
	OperationTimeout Code = -7
)

// ServerError is an error the server answered with.
type ServerError struct {
	Code Code
	Text string
}

func (e *ServerError) Error() string { return e.Text }

// SendError says that there was no answer. Sent is false when the operation was
// certainly not carried out and never will be.
type SendError struct {
	Sent bool
	Err  error
}

func (e *SendError) Error() string {
	if e.Sent {
		return fmt.Sprintf("no answer: %v", e.Err)
	}
	return fmt.Sprintf("not sent: %v", e.Err)
}

// Unwrap is the driver's or the context's error.
func (e *SendError) Unwrap() error { return e.Err }

// ErrSessionOver is the cause of operations that a session's end cut short.
var ErrSessionOver = errors.New("the session is over")

// ErrRefused says that the servers refuse the client, not this connection.
var ErrRefused = errors.New("refused by the server")

// Is reports whether err is that answer of the server.
func (c Code) Is(err error) bool {
	var s *ServerError
	return errors.As(err, &s) && s.Code == c
}
