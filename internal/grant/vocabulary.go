package grant

import (
	"context"
	"errors"
	"time"
)

// The sentinels of package recipes, which shows them to users. They live here
// because the mechanisms below recipes need them and cannot import it.
var (
	ErrNotAcquired   = errors.New("not acquired")
	ErrNotHeld       = errors.New("not held")
	ErrLost          = errors.New("lost")
	ErrUnknown       = errors.New("outcome unknown")
	ErrUnavailable   = errors.New("store unavailable")
	ErrConflict      = errors.New("conflicting data in the store")
	ErrWouldDeadlock = errors.New("would deadlock")
	ErrInvalid       = errors.New("invalid argument")
	ErrClosed        = errors.New("client closed")
)

// Reason says why a hold was lost; the numbers are those of recipes.Reason.
type Reason int

const (
	Expired Reason = iota + 1
	Taken
	LeaseOver
	SessionExpired
	Disconnected
	Closed
)

// Event has the fields of recipes.Event, which it is converted to.
type Event struct {
	Kind, Recipe, Name string
	Wait, Held         time.Duration
	Until              time.Time
	Err                error
}

// Kinds of events.
const (
	EventWaiting  = "waiting"
	EventAcquired = "acquired"
	EventGaveUp   = "gave-up"
	EventAtRisk   = "at-risk"
	EventSafe     = "safe"
	EventLost     = "lost"
	EventReleased = "released"
	EventUnknown  = "release-unknown"
)

// NewLost and NewUnknown make the public error types and are set by package
// recipes, which every user of this one imports.
var (
	NewLost    func(name string, why Reason, since time.Time) error
	NewUnknown func(op, name string, until time.Time, err error) error
)

// Fault is an error with a name, a verb and a kind: it reads
// `lock "orders:42": not acquired: held by another owner` and matches its kind
// and every cause.
type Fault struct {
	Verb, Name string
	Kind       error
	Detail     string
	Causes     []error
}

func (f *Fault) Error() string {
	s := f.Kind.Error()
	if f.Verb != "" { // it is set at the public edge
		s = f.Verb + " " + Quote(f.Name) + ": " + s
	}
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	for i, c := range f.Causes {
		if i == 0 || c.Error() != f.Causes[i-1].Error() {
			s += ": " + c.Error()
		}
	}
	return s
}

// Unwrap lets errors.Is and errors.As see the kind and the causes.
func (f *Fault) Unwrap() []error { return append([]error{f.Kind}, f.Causes...) }

// OwnCause is the cause that the canceller of ctx gave, if it gave one. A cause
// may wrap ctx.Err(), so the two are compared as values.
func OwnCause(ctx context.Context) []error {
	if c := context.Cause(ctx); any(c) != any(ctx.Err()) {
		return []error{c}
	}
	return nil
}

// NewHold makes the *recipes.Hold that shows a level; set by package recipes.
var NewHold func(l *Level, budget time.Duration, validity func(time.Duration) time.Duration) any
