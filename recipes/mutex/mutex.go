// Package mutex is a reentrant mutex across processes: one holder at a time.
//
// On Redis it is Redisson's RLock, so Go and Java services that use one name
// exclude and wake each other; Fenced is its RFencedLock, Plain the textbook
// SET NX PX that redsync and others use. The watchdog renews a hold until it is
// released, and a holder that dies blocks the others for one lease at most.
//
// On ZooKeeper it is Curator's InterProcessMutex, so Go and Java services that
// use one path stand in one line, in order, and every hold has a fence. A holder
// that dies blocks the others until its session has timed out. SingleNode is the
// textbook's one node.
//
// What it does not promise: on Redis, order (use package fairlock); on either,
// mutual exclusion for a holder that was paused beyond its lease or session and
// writes late. For that, let what you write to refuse smaller tokens: of a mutex
// that is Fenced on Redis, of any on ZooKeeper. A Redis failover may forget a lock.
package mutex

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/redisx"
	"github.com/holdfast-go/holdfast/recipes"
)

// Mutex is one lock. It is cheap to make, so make one for each call if that is
// handy: two of one client and name are the same lock. It is safe for
// concurrent use.
type Mutex struct{ on backend }

// backend is the lock on its store.
type backend interface {
	recipes.Inspector
	name() string
	take(ctx context.Context, verb string, try bool, opts []recipes.LockOption) (*recipes.Hold, error)
	RequestRevoke(ctx context.Context, h recipes.Holder) error
}

var (
	_ recipes.Locker    = (*Mutex)(nil)
	_ recipes.Inspector = (*Mutex)(nil)
)

// Name is the name or path that the mutex was made with.
func (m *Mutex) Name() string { return m.on.name() }

// Lock waits until it holds the mutex. ctx, and WithWait, end the wait and
// nothing else. With a context from a hold of this mutex it re-enters.
//
// Errors: recipes.ErrNotAcquired when the wait ended, with the context's error
// behind it; recipes.ErrUnavailable when the store has left this client without
// any answer for a lease, or refuses; recipes.ErrConflict when other data is at
// the name; recipes.ErrInvalid; recipes.ErrClosed. With a context from a hold
// that was lost, its *recipes.LostError.
func (m *Mutex) Lock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return m.on.take(ctx, "lock", false, opts)
}

// TryLock asks once: recipes.ErrNotAcquired when somebody else holds the mutex.
// A silent store gets at most a third of the lease. With a context from a hold
// of this mutex it re-enters.
func (m *Mutex) TryLock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return m.on.take(ctx, "try lock", true, opts)
}

// Inspect reads who holds the mutex; see recipes.Inspector.
func (m *Mutex) Inspect(ctx context.Context) (recipes.Status, error) { return m.on.Inspect(ctx) }

// ForceRelease takes the mutex from h; see recipes.Inspector.
func (m *Mutex) ForceRelease(ctx context.Context, h recipes.Holder) error {
	return m.on.ForceRelease(ctx, h)
}

// RequestRevoke asks h, which Inspect has shown, to let go: on ZooKeeper, with
// Curator's revocation message, which a holder with OnRevoke and a revocable
// InterProcessMutex hear. Nothing happens to one that does not listen. It waits
// for the store, not for the holder.
//
// Errors: recipes.ErrNotHeld when h holds no more, recipes.ErrUnavailable;
// recipes.ErrInvalid on Redis and with SingleNode, where there is no such thing.
func (m *Mutex) RequestRevoke(ctx context.Context, h recipes.Holder) error {
	return m.on.RequestRevoke(ctx, h)
}

// onRedis is a backend.
type onRedis struct{ *redisx.Lock }

func (r onRedis) name() string { return r.Name }

func (r onRedis) take(ctx context.Context, verb string, try bool, opts []recipes.LockOption) (*recipes.Hold, error) {
	return r.Take(ctx, verb, try, opts)
}

// RequestRevoke has nothing to write to: the layout has no room for a request.
func (r onRedis) RequestRevoke(context.Context, recipes.Holder) error {
	return &grant.Fault{Verb: "request revoke of", Name: r.Name, Kind: grant.ErrInvalid, Detail: "holders on Redis cannot be asked"}
}
