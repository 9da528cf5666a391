package recipes

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Hold is one level of a lock that is held, or was. It is safe for concurrent
// use and may be handed to another goroutine.
type Hold struct {
	level    *grant.Level
	budget   time.Duration
	validity func(time.Duration) time.Duration
}

func init() {
	grant.NewHold = func(l *grant.Level, budget time.Duration, validity func(time.Duration) time.Duration) any {
		return &Hold{level: l, budget: budget, validity: validity}
	}
}

// Name is the name of the lock.
func (h *Hold) Name() string { return h.level.Grant.Name }

// Owner identifies the hold in the store; it matches Holder.ID of Inspect.
// Levels of one hold share it.
func (h *Hold) Owner() string { return h.level.Grant.Owner }

// Count is the depth of this level, 1 for the outermost.
func (h *Hold) Count() int { return h.level.Depth() }

// Context is ctx, ending also when the hold does; its cause is then Err. It
// carries the hold: a Lock of the same lock with it re-enters, one level deeper,
// and two such Locks exclude each other. Locks of other names are not affected.
// It needs no store and may be called often.
func (h *Hold) Context(ctx context.Context) context.Context { return h.level.Context(ctx) }

// Done is closed when the hold is lost or released.
func (h *Hold) Done() <-chan struct{} { return h.level.Over() }

// Err is nil while the lock is held, by this client's clock now, suspends
// included; then a *LostError, or ErrNotHeld after Release.
func (h *Hold) Err() error { return h.level.Err() }

// ValidUntil is when the hold ends if nothing more is heard from the store. A
// renewal moves it. The zero time says that no end is known.
func (h *Hold) ValidUntil() time.Time { return h.level.ValidUntil() }

// Fence is a number that grows with every grant of this lock, the same on all
// levels of one hold. What the lock protects should remember the highest it has
// seen and refuse smaller ones: nothing else stops the late write of a holder
// that was paused. ok is false where a lock has no such number; do not write
// without one then.
func (h *Hold) Fence() (token int64, ok bool) { return h.level.Grant.Fence, h.level.Grant.Fenced }

// Members are the holds of a multi-lock, one for each member with its own
// fence; nil for any other lock.
func (h *Hold) Members() []*Hold { return nil }

// Extend asks the store, in one round trip, whether the hold is still ours and
// sets its lease anew: to d from now, longer or shorter than before, or with d
// of 0 to what it was made with. A d above 0 is for holds made WithLease; it is
// ErrInvalid for one that the watchdog renews. It blocks until the store has
// answered, ctx ends, or a third of the lease or session, at most 3 s, has gone
// by without an answer. A *LostError says that the hold is gone, ErrUnavailable
// that there was no answer: the hold then ends when it would have ended before,
// or after a shorter d.
func (h *Hold) Extend(ctx context.Context, d time.Duration) error {
	return h.level.Extend(ctx, d, h.validity)
}

// Release gives this level up; the store lets go with the last. The contexts of
// the level end first, then the store is asked. ctx's cancellation is ignored,
// so a deferred Release works after ctx has ended; it waits for the store at
// most the client's release budget (5 s by default), or until ctx's deadline if
// that is still ahead.
//
// Without an answer it returns an *UnknownError and goes on behind. After a
// loss it returns the *LostError; after a release, ErrNotHeld. It never touches
// a lock that somebody else holds.
func (h *Hold) Release(ctx context.Context) error { return h.level.Release(ctx, h.budget) }
