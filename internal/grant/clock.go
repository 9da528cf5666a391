package grant

import (
	"sync/atomic"
	"time"
)

// sleptAtStart makes slept relative, so that Now differs from time.Now only by
// sleeps this process has lived through.
var sleptAtStart = slept()

// Now is the instant all validity is judged by: Go's monotonic clock, moved on
// by the time the machine was suspended. The monotonic clock alone stands still
// in a suspend, so a lease would look fresh after it while the store has long
// let another in. Compare it with other values of Now only.
func Now() time.Time { return time.Now().Add(slept() - sleptAtStart) }

// sleptLately is slept, read at most once a millisecond.
var sleptLately struct{ value, readAt atomic.Int64 }

// started is what sleptLately counts its milliseconds from.
var started = time.Now()

// Sent is Now for the instant before a request is sent, without the cost of an
// exact reading: right after a suspend it may lie too far back, never too far
// ahead, so a lease counted from it ends too soon, never too late.
func Sent() time.Time {
	now := time.Now()
	at := int64(now.Sub(started))
	if last := sleptLately.readAt.Load(); last == 0 || at-last > int64(time.Millisecond) || at < last {
		sleptLately.value.Store(int64(slept() - sleptAtStart))
		sleptLately.readAt.Store(at)
	}
	return now.Add(time.Duration(sleptLately.value.Load()))
}

// Wall tells a person when an instant of Now will be, or was. The zero time
// stays zero.
func Wall(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Now().Add(t.Sub(Now()))
}
