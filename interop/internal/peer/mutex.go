package peer

import (
	"context"
	"strings"
	"time"
)

// Mutex is Curator's InterProcessMutex (or another InterProcessLock) on one Java
// thread. All threads of a peer share one Java object a path.
type Mutex struct {
	Thread
	recipe, path string
}

// Mutex names an InterProcessMutex.
func (t Thread) Mutex(path string) Mutex { return Mutex{t, "mutex", path} }

// ReadLock names the read lock of an InterProcessReadWriteLock. Both locks of a
// path are those of one object, so a thread that writes may also read.
func (t Thread) ReadLock(path string) Mutex { return Mutex{t, "read", path} }

// WriteLock names the other.
func (t Thread) WriteLock(path string) Mutex { return Mutex{t, "write", path} }

// SemaphoreMutex names an InterProcessSemaphoreMutex. It knows no re-entry, and
// nothing that a plain InterProcessLock does not: no participants, no revocation.
func (t Thread) SemaphoreMutex(path string) Mutex { return Mutex{t, "semaphoreMutex", path} }

// MultiLock names an InterProcessMultiLock of mutexes, to which the same applies.
func (t Thread) MultiLock(paths ...string) Mutex { return Mutex{t, "multi", strings.Join(paths, "+")} }

func curated[T any](m Mutex, verb string, wait time.Duration) *Call[T] {
	return Go[T](m.Thread, m.recipe+"."+verb, args(m.path, wait, -1))
}

// GoAcquire is acquire(). It waits for ever.
func (m Mutex) GoAcquire() *Call[bool] { return curated[bool](m, "acquire", NoWait) }

// Acquire is GoAcquire, answered.
func (m Mutex) Acquire(ctx context.Context) error { return m.GoAcquire().Err(ctx) }

// GoTryAcquire is acquire(wait), with NoWait a wait of 0.
func (m Mutex) GoTryAcquire(wait time.Duration) *Call[bool] {
	return curated[bool](m, "acquire", max(wait, 0))
}

// TryAcquire is GoTryAcquire, answered.
func (m Mutex) TryAcquire(ctx context.Context, wait time.Duration) (bool, error) {
	return m.GoTryAcquire(wait).Get(ctx)
}

// GoRelease is release().
func (m Mutex) GoRelease() *Call[struct{}] { return curated[struct{}](m, "release", NoWait) }

// Release is GoRelease, answered; ErrNotOwner when this thread holds nothing.
func (m Mutex) Release(ctx context.Context) error { return m.GoRelease().Err(ctx) }

// Acquired is isAcquiredInThisProcess: what the object believes, no more.
func (m Mutex) Acquired(ctx context.Context) (bool, error) {
	return curated[bool](m, "isAcquired", NoWait).Get(ctx)
}

// Participants are the full paths of all nodes of the lock, in Curator's order.
func (m Mutex) Participants(ctx context.Context) ([]string, error) {
	return curated[[]string](m, "participants", NoWait).Get(ctx)
}

// MakeRevocable has the object listen for revocations. To be said before each
// Acquire, since the listener goes with the release.
func (m Mutex) MakeRevocable(ctx context.Context) error {
	return curated[struct{}](m, "makeRevocable", NoWait).Err(ctx)
}

// GoAwaitRevoke waits for a revocation, of those that nobody has waited for,
// and occupies the thread meanwhile: a GoRelease that is already sent behind it
// makes the thread a holder that obeys.
func (m Mutex) GoAwaitRevoke(wait time.Duration) *Call[bool] {
	return curated[bool](m, "awaitRevoke", wait)
}

// AwaitRevoke is GoAwaitRevoke, answered.
func (m Mutex) AwaitRevoke(ctx context.Context, wait time.Duration) (bool, error) {
	return m.GoAwaitRevoke(wait).Get(ctx)
}

// GoLoop does nothing inside but to think.
func (m Mutex) GoLoop(r Rounds) *Call[Work] {
	return m.work(m.recipe, m.path, "loop", r, nil)
}

// GoInventory sells as that of Lock; stock and sold are nodes.
func (m Mutex) GoInventory(stock, sold string, r Rounds) *Call[Work] {
	return m.work(m.recipe, m.path, "inventory", r, map[string]any{"stock": stock, "sold": sold})
}
