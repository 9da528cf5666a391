package grant

import "time"

// sleptAtStart makes slept relative, so that Now differs from time.Now only by
// sleeps this process has lived through.
var sleptAtStart = slept()

// Now is the instant all validity is judged by: Go's monotonic clock, moved on
// by the time the machine was suspended. The monotonic clock alone stands still
// in a suspend, so a lease would look fresh after it while the store has long
// let another in. Compare it with other values of Now only.
func Now() time.Time { return time.Now().Add(slept() - sleptAtStart) }

// Wall tells a person when an instant of Now will be, or was. The zero time
// stays zero.
func Wall(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Now().Add(t.Sub(Now()))
}
