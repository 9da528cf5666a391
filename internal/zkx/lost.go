package zkx

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// loseTaken is the loss of a hold whose node somebody else has deleted.
func (h *holding) loseTaken() {
	h.mu.Lock()
	h.taken = true
	h.mu.Unlock()
	h.grant.Lose(grant.Taken)
}

// Lost is told once that the grant is over. What is left of a lease is the
// holder's time to stop; then the node goes.
func (h *holding) Lost() {
	h.gone()
	h.mu.Lock()
	at, waits := h.freeAt, !h.freeAt.IsZero() && !h.taken
	ended := make(chan struct{})
	if waits {
		h.ended = sync.OnceFunc(func() { close(ended) })
	}
	h.mu.Unlock()
	if !waits {
		for _, p := range h.live() {
			p.leave()
		}
		return
	}
	h.lock.Core.Later(func(ctx context.Context) {
		if h.place.epoch.outlives(ctx, at, ended) {
			h.removeAll()
		}
	})
}

// outlives waits until at, for a node that is to go then. It is false when
// nothing need be done by then: the node goes sooner, or with its session.
func (e *epoch) outlives(ctx context.Context, at time.Time, ended <-chan struct{}) bool {
	t := time.NewTimer(at.Sub(grant.Now()))
	defer t.Stop()
	for over := e.over; ; {
		select {
		case <-t.C:
			return true
		case <-over:
			if at.Sub(grant.Now()) > e.timeout {
				return false
			}
			over = nil
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Discard takes away, behind, what a lost grant may have left.
func (h *holding) Discard() {
	h.mu.Lock()
	if h.ended != nil {
		h.ended()
	}
	h.mu.Unlock()
	h.removeAll()
}

func (h *holding) removeAll() {
	for _, p := range h.live() {
		h.lock.remove(p)
	}
}
