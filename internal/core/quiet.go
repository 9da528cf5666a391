package core

import (
	"sync"
	"time"
)

// Quiet is the one clock of an outage: how long the store has answered this
// client nothing, counted from the first request since its last answer. A time
// in which nothing was asked is no outage: after a gap it starts anew.
type Quiet struct {
	Gap   time.Duration
	mu    sync.Mutex
	since time.Time
	last  time.Time
}

// Asked is told of every request.
func (q *Quiet) Asked(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() || now.Sub(q.last) > q.Gap {
		q.since = now
	}
	q.last = now
}

// Answered is told of every answer.
func (q *Quiet) Answered() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.since = time.Time{}
}

// Length is how long the store has been silent; 0 when it answers.
func (q *Quiet) Length() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() {
		return 0
	}
	return time.Since(q.since)
}
