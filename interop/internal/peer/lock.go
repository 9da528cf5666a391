package peer

import (
	"context"
	"time"
)

// Lock is Redisson's RLock (or another recipe that is one) on one Java thread.
type Lock struct {
	Thread
	recipe, name string
}

// Lock names an RLock.
func (t Thread) Lock(name string) Lock { return Lock{t, "lock", name} }

func verb[T any](l Lock, verb string, wait, lease time.Duration) *Call[T] {
	return Go[T](l.Thread, l.recipe+"."+verb, args(l.name, wait, lease))
}

// GoLock is lock(), or lock(lease).
func (l Lock) GoLock(lease time.Duration) *Call[struct{}] {
	return verb[struct{}](l, "lock", NoWait, lease)
}

// Lock is GoLock, answered.
func (l Lock) Lock(ctx context.Context, lease time.Duration) error {
	return l.GoLock(lease).Err(ctx)
}

// GoLockInterruptibly is as GoLock, but Thread.Interrupt ends it.
func (l Lock) GoLockInterruptibly(lease time.Duration) *Call[struct{}] {
	return verb[struct{}](l, "lockInterruptibly", NoWait, lease)
}

// GoTryLock is tryLock(wait, lease); with NoWait and Watchdog, tryLock().
func (l Lock) GoTryLock(wait, lease time.Duration) *Call[bool] {
	return verb[bool](l, "tryLock", wait, lease)
}

// TryLock is GoTryLock, answered.
func (l Lock) TryLock(ctx context.Context, wait, lease time.Duration) (bool, error) {
	return l.GoTryLock(wait, lease).Get(ctx)
}

// GoUnlock is unlock().
func (l Lock) GoUnlock() *Call[struct{}] {
	return verb[struct{}](l, "unlock", NoWait, Watchdog)
}

// Unlock is GoUnlock, answered; ErrNotOwner when this thread holds nothing.
func (l Lock) Unlock(ctx context.Context) error { return l.GoUnlock().Err(ctx) }

// ForceUnlock tells whether there was something to remove.
func (l Lock) ForceUnlock(ctx context.Context) (bool, error) {
	return verb[bool](l, "forceUnlock", NoWait, Watchdog).Get(ctx)
}

// IsLocked tells whether anybody holds the lock.
func (l Lock) IsLocked(ctx context.Context) (bool, error) {
	return verb[bool](l, "isLocked", NoWait, Watchdog).Get(ctx)
}

// HeldByThread is isHeldByCurrentThread.
func (l Lock) HeldByThread(ctx context.Context) (bool, error) {
	return verb[bool](l, "isHeldByCurrentThread", NoWait, Watchdog).Get(ctx)
}

// HoldCount is this thread's depth.
func (l Lock) HoldCount(ctx context.Context) (int, error) {
	return verb[int](l, "getHoldCount", NoWait, Watchdog).Get(ctx)
}

// TTL is remainTimeToLive, in Java's own form: milliseconds, -1 for a lock
// without an expiry, -2 for none.
func (l Lock) TTL(ctx context.Context) (int64, error) {
	return verb[int64](l, "remainTimeToLive", NoWait, Watchdog).Get(ctx)
}

// Fenced is Redisson's RFencedLock; the versions before 3.19 have none.
type Fenced struct{ Lock }

// Fenced names an RFencedLock.
func (t Thread) Fenced(name string) Fenced { return Fenced{Lock{t, "fenced", name}} }

// GoLockAndGetToken is lockAndGetToken(), or with the lease (which Redisson
// ignores up to 4.7.0 at least).
func (f Fenced) GoLockAndGetToken(lease time.Duration) *Call[int64] {
	return verb[int64](f.Lock, "lockAndGetToken", NoWait, lease)
}

// LockAndGetToken is GoLockAndGetToken, answered.
func (f Fenced) LockAndGetToken(ctx context.Context, lease time.Duration) (int64, error) {
	return f.GoLockAndGetToken(lease).Get(ctx)
}

// GoTryLockAndGetToken is tryLockAndGetToken(wait, lease), with NoWait a wait
// of 0; the value is nil when refused.
func (f Fenced) GoTryLockAndGetToken(wait, lease time.Duration) *Call[*int64] {
	return verb[*int64](f.Lock, "tryLockAndGetToken", wait, lease)
}

// TryLockAndGetToken is GoTryLockAndGetToken, answered.
func (f Fenced) TryLockAndGetToken(ctx context.Context, wait, lease time.Duration) (*int64, error) {
	return f.GoTryLockAndGetToken(wait, lease).Get(ctx)
}

// Token is getToken: the counter as it stands, 0 when there is none.
func (f Fenced) Token(ctx context.Context) (int64, error) {
	return verb[int64](f.Lock, "getToken", NoWait, Watchdog).Get(ctx)
}
