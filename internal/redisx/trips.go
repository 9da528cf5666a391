package redisx

import (
	"math"
	"sync/atomic"
	"time"
)

// trips follows the 99th percentile of the round trips with one number: it goes
// up by much when a trip is above it and down by little when one is below, in
// the proportion that makes it stay where one in a hundred is above.
type trips struct{ p99 atomic.Int64 }

func (t *trips) add(d time.Duration) {
	for {
		old := t.p99.Load()
		next := step(time.Duration(old), d)
		if t.p99.CompareAndSwap(old, int64(next)) {
			return
		}
	}
}

func (t *trips) slow() time.Duration { return time.Duration(t.p99.Load()) }

// step moves an estimate p of the 99th percentile by one sample.
func step(p, sample time.Duration) time.Duration {
	size := max(p/16, 50*time.Microsecond)
	if sample > p {
		return min(p+size*99/100, time.Duration(math.MaxInt64/2))
	}
	return max(p-size/100, 0)
}
