//go:build !linux

package grant

import (
	"sync/atomic"
	"time"
)

var (
	origin = time.Now()
	most   atomic.Int64
)

// slept is replaced in tests.
var slept = wallAhead

// wallAhead compares the wall clock with the monotonic one. A wall clock that is
// set forward looks like a suspend and costs a hold; that errs on the safe
// side. One that is set back must not bring validity back, so it never shrinks.
func wallAhead() time.Duration {
	now := time.Now()
	d := int64(now.Round(0).Sub(origin.Round(0)) - now.Sub(origin))
	for {
		seen := most.Load()
		if d <= seen {
			return time.Duration(seen)
		}
		if most.CompareAndSwap(seen, d) {
			return time.Duration(d)
		}
	}
}
