// Package recipes is the vocabulary that all coordination recipes of this
// module share: a Locker gives a Hold, a Hold says when it ends, and every
// error names the lock and the cause.
//
// A lock of this kind is a lease in a store. What it promises: the store never
// grants it to two at once, and a holder is told that its hold is over before
// its expiry can let another in. What it does not promise: that a process that
// was paused between its last look at the hold and its next write does not
// write late. Only a fencing token, checked by what is written to, covers that;
// see Hold.Fence.
//
// A Hold belongs to the value, not to a goroutine: hand it on as you like.
// Re-entry follows the context: a Lock made with a context from Hold.Context
// goes one level deeper, every other Lock waits.
package recipes

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Locker is anything that can be locked: a recipe on a store, one side of a
// read-write lock, some permits of a semaphore, several locks as one.
type Locker interface {
	// Name is the name or path that the lock was made with.
	Name() string
	// Lock waits until it holds the lock. ctx ends the wait and has no effect
	// on the hold afterwards. When Lock returns an error, nothing of the call
	// is left in the store, or it goes within moments behind it.
	Lock(ctx context.Context, opts ...LockOption) (*Hold, error)
	// TryLock asks once. ErrNotAcquired says that somebody else holds the lock;
	// a silent store gets at most a third of the lease before ErrUnavailable.
	TryLock(ctx context.Context, opts ...LockOption) (*Hold, error)
}

// What can go wrong; match with errors.Is. Every error also names the lock, and
// errors of a context or a driver stay matchable behind it.
var (
	// ErrNotAcquired: the wait ended, by its context or by WithWait, or a try
	// found the lock held.
	ErrNotAcquired = grant.ErrNotAcquired
	// ErrNotHeld: the hold was released before, or somebody who was to be
	// evicted holds nothing.
	ErrNotHeld = grant.ErrNotHeld
	// ErrLost: the store took the hold, or it could no longer be vouched for.
	// It always comes as a *LostError.
	ErrLost = grant.ErrLost
	// ErrUnknown: a release got no answer. It always comes as an *UnknownError.
	ErrUnknown = grant.ErrUnknown
	// ErrUnavailable: the store cannot be reached, or cannot do what was asked.
	ErrUnavailable = grant.ErrUnavailable
	// ErrConflict: data of another recipe or of somebody else is in the way.
	ErrConflict = grant.ErrConflict
	// ErrWouldDeadlock: the call could never end.
	ErrWouldDeadlock = grant.ErrWouldDeadlock
	// ErrInvalid: a bad name or option; nothing was sent.
	ErrInvalid = grant.ErrInvalid
	// ErrClosed: the client is closed or closing.
	ErrClosed = grant.ErrClosed
)
