package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// answer is one line from the peer: its hello, or what became of a request.
type answer struct {
	ID      int64           `json:"id"`
	Hello   string          `json:"hello"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Causes  []string        `json:"causes"`

	Began   int64   `json:"began"`
	Ended   int64   `json:"ended"`
	Elapsed float64 `json:"elapsed"`
}

func (a answer) err() error {
	if a.Error == "" {
		return nil
	}
	return &JavaError{Class: a.Error, Message: a.Message, Causes: a.Causes}
}

// JavaError is what a Java call threw, and the exceptions beneath it.
type JavaError struct {
	Class, Message string
	Causes         []string // "class: message", the outermost first
}

func (e *JavaError) Error() string {
	return strings.Join(append([]string{e.Class + ": " + e.Message}, e.Causes...), "; caused by ")
}

// Is makes errors.Is(err, &JavaError{Class: "IllegalMonitorStateException"})
// true where that class was thrown or lies beneath, whatever its package.
func (e *JavaError) Is(target error) bool {
	var want *JavaError
	if !errors.As(target, &want) {
		return false
	}
	for _, thrown := range append([]string{e.Class}, e.Causes...) {
		class, _, _ := strings.Cut(thrown, ":")
		if class[strings.LastIndexByte(class, '.')+1:] == want.Class {
			return true
		}
	}
	return false
}

// What the tests ask for most often.
var (
	// ErrNotOwner is Java's answer to an unlock by somebody who holds nothing.
	ErrNotOwner = &JavaError{Class: "IllegalMonitorStateException"}
	// ErrNoRecipe tells that the library's version does not have the recipe.
	ErrNoRecipe = &JavaError{Class: "UnsupportedOperationException"}
	// ErrInterrupted ends an op that Thread.Interrupt met while it waited.
	ErrInterrupted = &JavaError{Class: "InterruptedException"}
)

// Call is a request on its way.
type Call[T any] struct {
	op    string
	done  chan struct{}
	value T
	times Times
	err   error
}

// Times tells when the Java thread carried a call out; time in line behind
// other calls of that thread is not in it. Began and Ended are wall-clock
// times, comparable with this process's own. Elapsed is measured without it.
type Times struct {
	Began, Ended time.Time
	Elapsed      time.Duration
}

func send[T any](p *Peer, op, thread string, args map[string]any) *Call[T] {
	c := &Call[T]{op: op, done: make(chan struct{})}
	p.send(op, thread, args, func(a answer, err error) {
		defer close(c.done)
		if c.err = err; err != nil {
			return
		}
		c.times = Times{time.Unix(0, a.Began), time.Unix(0, a.Ended), time.Duration(a.Elapsed * 1e6)}
		if c.err = a.err(); c.err == nil {
			c.err = json.Unmarshal(a.Result, &c.value)
		}
	})
	return c
}

// Done is closed when the answer has come, or the peer has ended without one.
func (c *Call[T]) Done() <-chan struct{} { return c.done }

// Get waits for the answer. When ctx ends first the Java call goes on.
func (c *Call[T]) Get(ctx context.Context) (T, error) {
	select {
	case <-c.done:
	default:
		select {
		case <-c.done:
		case <-ctx.Done():
			var none T
			return none, fmt.Errorf("%s: no answer: %w", c.op, context.Cause(ctx))
		}
	}
	if c.err != nil {
		return c.value, fmt.Errorf("%s: %w", c.op, c.err)
	}
	return c.value, nil
}

// Err waits like Get, for calls without a value.
func (c *Call[T]) Err(ctx context.Context) error {
	_, err := c.Get(ctx)
	return err
}

// Times may be asked once Done is closed; zero when the peer never answered.
func (c *Call[T]) Times() Times {
	<-c.done
	return c.times
}
