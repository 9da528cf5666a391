package recipes

import (
	"context"
	"time"
)

// Inspector looks at a lock from outside. Every recipe on a store is one.
type Inspector interface {
	// Inspect reads who holds the lock and who waits, in a round trip or two. It
	// changes nothing, and what it shows may be over when it returns.
	Inspect(ctx context.Context) (Status, error)
	// ForceRelease takes the lock from h if h still holds it, and wakes the
	// next; otherwise it is ErrNotHeld. Where the lock has a fence it is raised,
	// so that what the evicted holder still writes is refused. The evicted
	// holder finds out at its next renewal, on ZooKeeper within a second.
	ForceRelease(ctx context.Context, h Holder) error
}

// Status is a lock as it stands in the store.
type Status struct {
	Name    string
	Holders []Holder
	Waiters []Waiter
	// QueueStored is false where the store does not know who waits.
	QueueStored bool
	Limit, Free int
}

// Holder is one holder as the store shows it, whoever wrote it. A zero field
// was not recorded.
type Holder struct {
	// ID is the owner as stored; Hold.Owner for ours.
	ID string
	// Kind is "lock" for a mutex.
	Kind string
	// Count is how many levels it holds.
	Count int
	// TTL is what is left of the lease; negative when it has none.
	TTL      time.Duration
	Since    time.Time
	Fence    int64
	HasFence bool
}

// Waiter is one waiter as the store shows it.
type Waiter struct {
	ID, Kind     string
	Since, Until time.Time
}
