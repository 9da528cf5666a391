// Package rwlock is a lock with two sides across processes: many readers at a
// time, or one writer.
//
// On Redis it is Redisson's RReadWriteLock, on ZooKeeper Curator's
// InterProcessReadWriteLock, so Go and Java services that use one name share and
// exclude as if they were one. A hold is a writer's or a reader's; both re-enter,
// and a writer may take the read side as well and let go of the write side first:
// it is then a reader, and nobody has written in between. The reverse is refused
// at once with recipes.ErrWouldDeadlock, because two readers that both wait to
// write would wait for ever.
//
// What it does not promise: mutual exclusion for a holder that was paused beyond
// its lease or session and writes late. For that, let what you write to refuse
// smaller tokens.
package rwlock

import (
	"context"

	"github.com/holdfast-go/holdfast/recipes"
)

// RWLock is one lock. It is cheap to make, so make one for each call if that is
// handy: two of one client and name are the same lock. It is a recipes.Locker of
// its write side. It is safe for concurrent use.
type RWLock struct{ on backend }

// backend is the lock on its store.
type backend interface {
	recipes.Inspector
	name() string
	take(ctx context.Context, c call) (*recipes.Hold, error)
}

// call is one Lock or TryLock call on one side.
type call struct {
	verb   string
	try    bool
	shared bool
	opts   []recipes.LockOption
}

var (
	_ recipes.Locker    = (*RWLock)(nil)
	_ recipes.Inspector = (*RWLock)(nil)
)

// Name is the name or path that the lock was made with.
func (l *RWLock) Name() string { return l.on.name() }

// Lock waits until it holds the write side, alone. ctx, and WithWait, end the
// wait and nothing else. With a context from a hold of the write side it
// re-enters; with one from a hold of the read side it is
// recipes.ErrWouldDeadlock at once.
//
// Errors: recipes.ErrNotAcquired when the wait ended, with the context's error
// behind it; recipes.ErrUnavailable when the store has left this client without
// any answer for a lease or a session's time-out, or refuses;
// recipes.ErrConflict when other data is at the name; recipes.ErrInvalid;
// recipes.ErrClosed. With a context from a hold that was lost, its
// *recipes.LostError.
func (l *RWLock) Lock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return l.on.take(ctx, call{verb: "lock", opts: opts})
}

// TryLock asks once for the write side: recipes.ErrNotAcquired when somebody
// else reads or writes.
func (l *RWLock) TryLock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return l.on.take(ctx, call{verb: "try lock", try: true, opts: opts})
}

// RLock waits until it holds the read side, beside other readers. With a context
// from a hold of either side it re-enters; a writer that does so may release the
// write side first, and reads on. Errors are those of Lock.
func (l *RWLock) RLock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return l.on.take(ctx, call{verb: "read lock", shared: true, opts: opts})
}

// TryRLock asks once for the read side: recipes.ErrNotAcquired when somebody else
// writes, or a writer waits in front.
func (l *RWLock) TryRLock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return l.on.take(ctx, call{verb: "try read lock", try: true, shared: true, opts: opts})
}

// Inspect reads who holds the lock, of which side; see recipes.Inspector. Kind is
// "read" or "write".
func (l *RWLock) Inspect(ctx context.Context) (recipes.Status, error) { return l.on.Inspect(ctx) }

// ForceRelease takes the lock from h; see recipes.Inspector.
func (l *RWLock) ForceRelease(ctx context.Context, h recipes.Holder) error {
	return l.on.ForceRelease(ctx, h)
}

// Reader is the read side as a Locker.
func (l *RWLock) Reader() recipes.Locker { return reader{l} }

// Writer is the write side as a Locker.
func (l *RWLock) Writer() recipes.Locker { return l }

type reader struct{ *RWLock }

// Lock is RLock.
func (r reader) Lock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return r.RLock(ctx, opts...)
}

// TryLock is TryRLock.
func (r reader) TryLock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return r.TryRLock(ctx, opts...)
}
