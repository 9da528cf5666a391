package rediscore

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Conn is the seam to a driver. It may grow before v1, not after.
type Conn interface {
	// Node tells who owns key now. Keys with equal answers may share one Do.
	Node(key string) string
	// Do sends cmds to the owner of key in one write on one connection and
	// returns their replies in order. It returns when ctx ends, whatever the
	// driver is set to; the commands may then still be carried out. It sends
	// each command at most once. Calls that meet may share one write; a call
	// with several commands is never merged with another.
	//
	// An error is a *SendError; errors that the server answered with are in the
	// replies.
	Do(ctx context.Context, key string, cmds ...Cmd) ([]Reply, error)
	// Listen opens a connection of its own for signals, to the owner of key
	// when sharded, else to any node.
	Listen(ctx context.Context, key string, sharded bool) (Stream, error)
	// Shape tells what kind of deployment this is; one round trip or two.
	Shape(ctx context.Context) (Shape, error)
	// Interrupt ends the requests under way without an answer; later ones are
	// not affected.
	Interrupt()
	// Close closes what Conn opened itself, never the user's client.
	Close() error
}

// Cmd is one command: its name and arguments, strings or integers.
type Cmd []any

// Reply is one answer: nil, an int64, a string, or a []any of these; or the
// error the server answered with.
type Reply struct {
	Value any
	Err   *ServerError
}

// ServerError is an error the server answered with, for example "OOM command
// not allowed".
type ServerError struct{ Text string }

func (e *ServerError) Error() string { return e.Text }

// Code is the first word.
func (e *ServerError) Code() string {
	code, _, _ := strings.Cut(e.Text, " ")
	return code
}

// SendError says that there was no answer. Sent is false when the commands were
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

// Stream is one connection for signals. Receive is called by one goroutine, the
// others by another; all may block, Close ends them.
type Stream interface {
	Subscribe(channels ...string) error
	Unsubscribe(channels ...string) error
	Ping() error
	Receive() (Signal, error)
	Close() error
}

// Signal is one thing a Stream hears. Channel is empty for the answer to a Ping.
type Signal struct {
	Channel   string
	Payload   string
	Confirmed bool // Channel is subscribed from here on
}

// Shape is what kind of deployment a Conn leads to.
type Shape struct {
	Cluster  bool
	Sharded  bool // knows sharded pub/sub
	Replicas int  // connected to the node that answered
	RunID    string
	Uptime   time.Duration
	Version  string
}
