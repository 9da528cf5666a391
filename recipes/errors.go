package recipes

import (
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Reason says why a hold was lost.
type Reason int

const (
	// ReasonExpired: the lease ran out without a renewal in time, for example
	// because the process was paused.
	ReasonExpired Reason = iota + 1
	// ReasonTaken: the store says that the lock is not ours: deleted by hand,
	// evicted, lost in a failover, or released by force.
	ReasonTaken
	// ReasonLeaseOver: a WithLease or WithMaxHold came to its end.
	ReasonLeaseOver
	// ReasonSessionExpired: the ZooKeeper session ended.
	ReasonSessionExpired
	// ReasonDisconnected: the store could not be reached until the lease, less
	// its margin, was used up.
	ReasonDisconnected
	// ReasonClosed: the client was closed while the hold was out.
	ReasonClosed
)

var reasons = map[Reason]string{
	ReasonExpired:        "its lease expired",
	ReasonTaken:          "the store says it is not ours",
	ReasonLeaseOver:      "its lease is over",
	ReasonSessionExpired: "the session expired",
	ReasonDisconnected:   "the store could not be reached",
	ReasonClosed:         "the client was closed",
}

func (r Reason) String() string {
	if s, ok := reasons[r]; ok {
		return s
	}
	return fmt.Sprintf("Reason(%d)", int(r))
}

// LostError says that a hold ended without being released. It matches ErrLost
// and ErrNotHeld.
type LostError struct {
	Name   string
	Reason Reason
	Since  time.Time // when this client found out
}

func (e *LostError) Error() string {
	return fmt.Sprintf("hold of %s: lost: %s", grant.Quote(e.Name), e.Reason)
}

// Is matches ErrLost and ErrNotHeld.
func (e *LostError) Is(target error) bool { return target == ErrLost || target == ErrNotHeld }

// UnknownError says that a release got no answer; it is repeated behind. It
// matches ErrUnknown.
type UnknownError struct {
	Op, Name string
	// Until is when nothing of the hold is left at the latest, if the store
	// runs. Until then the lock may still look held to others.
	Until time.Time
	Err   error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s %s: outcome unknown, held at most until %s: %v",
		e.Op, grant.Quote(e.Name), e.Until.Format(time.RFC3339Nano), e.Err)
}

// Is matches ErrUnknown.
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }

// Unwrap is the error of the driver or the context.
func (e *UnknownError) Unwrap() error { return e.Err }

func init() {
	grant.NewLost = func(name string, why grant.Reason, since time.Time) error {
		return &LostError{Name: name, Reason: Reason(why), Since: since}
	}
	grant.NewUnknown = func(op, name string, until time.Time, err error) error {
		return &UnknownError{Op: op, Name: name, Until: until, Err: err}
	}
}
