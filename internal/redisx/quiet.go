package redisx

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// quiet is the one clock of an outage: how long the store has answered this
// client nothing, counted from the first request since its last answer. A time
// in which nothing was asked is no outage: after a gap it starts anew.
type quiet struct {
	gap   time.Duration
	mu    sync.Mutex
	since time.Time
	last  time.Time
}

func (q *quiet) asked(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() || now.Sub(q.last) > q.gap {
		q.since = now
	}
	q.last = now
}

func (q *quiet) answered() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.since = time.Time{}
}

func (q *quiet) length() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() {
		return 0
	}
	return time.Since(q.since)
}

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
