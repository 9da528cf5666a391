package peer

import (
	"context"
	"time"
)

// Semaphore is Curator's InterProcessSemaphoreV2 on one Java thread. All threads
// of a peer share one Java object a path, with the limit that was given first.
type Semaphore struct {
	Thread
	path  string
	limit int
}

// Semaphore names an InterProcessSemaphoreV2.
func (t Thread) Semaphore(path string, limit int) Semaphore { return Semaphore{t, path, limit} }

// GoAcquire is acquire(n), or acquire(n, wait): the names of the leases, nil
// when refused.
func (s Semaphore) GoAcquire(n int, wait time.Duration) *Call[[]string] {
	a := args(s.path, wait, -1)
	a["limit"], a["n"] = s.limit, n
	return Go[[]string](s.Thread, "semaphore.acquire", a)
}

// Acquire is GoAcquire, answered.
func (s Semaphore) Acquire(ctx context.Context, n int, wait time.Duration) ([]string, error) {
	return s.GoAcquire(n, wait).Get(ctx)
}

// Release returns a lease; any thread of the peer may.
func (s Semaphore) Release(ctx context.Context, lease string) error {
	return Go[struct{}](s.Thread, "semaphore.release", map[string]any{
		"name": s.path, "limit": s.limit, "lease": lease,
	}).Err(ctx)
}

// Participants are the names of all leases, in no order, one that waits too.
func (s Semaphore) Participants(ctx context.Context) ([]string, error) {
	return Go[[]string](s.Thread, "semaphore.participants", map[string]any{
		"name": s.path, "limit": s.limit,
	}).Get(ctx)
}
