package recipes

import (
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// LockOption is an option of one Lock, TryLock or Acquire call. A bad value is
// ErrInvalid at the call.
type LockOption func(*grant.Options)

// WithWait bounds the time in line to d; when it is over, Lock returns
// ErrNotAcquired. With d <= 0 Lock asks once, like TryLock. By default the
// context alone bounds the wait.
func WithWait(d time.Duration) LockOption {
	return func(o *grant.Options) { o.Wait, o.HasWait = d, true }
}

// WithLease ends the hold d after the grant, whether the work is done or not,
// and keeps the watchdog off: Redisson's leaseTime. d is at least 100 ms and is
// cut to whole milliseconds. The hold ends a little before d, by the margin its
// holder needs to stop in time. By default the watchdog renews the hold until
// it is released. On a nested level it bounds that level only.
func WithLease(d time.Duration) LockOption {
	return func(o *grant.Options) {
		if bad := grant.BadLease(d); bad != "" {
			o.Reject("WithLease: %s", bad)
			return
		}
		o.Lease, o.Leased = d.Truncate(time.Millisecond), true
	}
}

// WithMaxHold lets the watchdog renew the hold, but not beyond d after the
// grant: a worker that hangs keeps the lock at most that long, one that dies
// gives it back with the client's lease. d is at least 100 ms. On a nested
// level it bounds that level only. It does not go with WithLease.
func WithMaxHold(d time.Duration) LockOption {
	return func(o *grant.Options) {
		if bad := grant.BadLease(d); bad != "" {
			o.Reject("WithMaxHold: %s", bad)
			return
		}
		o.MaxHold, o.Bounded = d.Truncate(time.Millisecond), true
	}
}
