package recipes

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
)

// Local is a lock inside this process, without a store: for unit tests of code
// that takes a Locker, and for services that run as one process. It behaves as
// the store's locks do: first come first served, re-entry by context, leases,
// and a fence that grows with every grant.
//
// A hold without WithLease or WithMaxHold has no end. Two Locals of one name
// are two locks.
type Local struct {
	name string
	lock *claim.Local
}

// NewLocal makes a lock that nobody holds.
func NewLocal(name string) *Local { return &Local{name: name, lock: claim.NewLocal(name)} }

// Name is the name it was made with.
func (l *Local) Name() string { return l.name }

// Lock waits for the lock until ctx ends.
func (l *Local) Lock(ctx context.Context, opts ...LockOption) (*Hold, error) {
	return l.take(ctx, false, opts)
}

// TryLock takes the lock if it is free.
func (l *Local) TryLock(ctx context.Context, opts ...LockOption) (*Hold, error) {
	return l.take(ctx, true, opts)
}

func (l *Local) take(ctx context.Context, try bool, opts []LockOption) (*Hold, error) {
	var o grant.Options
	for _, opt := range opts {
		opt(&o)
	}
	level, err := l.lock.Lock(ctx, o, try)
	if err != nil {
		return nil, err
	}
	all := func(d time.Duration) time.Duration { return d }
	return &Hold{level: level, budget: time.Second, validity: all}, nil
}
