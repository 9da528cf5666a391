package zkx

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// holding is the store's side of one grant on ZooKeeper: a node. Levels are
// counted here alone.
type holding struct {
	lock   *Lock
	place  *place
	grant  *grant.Grant
	level  *grant.Level // the outermost
	freeAt time.Time    // when the library takes the node away; zero: never
	after  func()       // when the hold is gone from this process; may be nil
	once   sync.Once

	mu    sync.Mutex
	timer *time.Timer // until the own node is watched
	over  bool
	told  int32  // data version of the last request to let go, and one
	taken bool   // the node is not there any more
	ended func() // its user has stopped before freeAt; nil: nobody waits for that
}

// gone takes the hold off the books, once.
func (h *holding) gone() {
	h.once.Do(func() {
		h.mu.Lock()
		h.over = true
		if h.timer != nil {
			h.timer.Stop()
		}
		h.mu.Unlock()
		h.lock.Core.Forget(h.grant)
		h.place.epoch.drop(h.grant)
		if h.after != nil {
			h.after()
		}
	})
}

// Reenter needs no trip.
func (h *holding) Reenter(context.Context, grant.Count) error { return nil }

func (h *holding) lost(why grant.Reason) error { return grant.NewLost(h.grant.Name, why, time.Now()) }

// Release deletes the node with the last level.
func (h *holding) Release(ctx context.Context, left grant.Count) error {
	if left.Total() > 0 {
		return nil
	}
	r := h.lock.part(h.place, true)
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			h.gone()
			return h.unknown(context.Cause(ctx))
		}
	}
	h.gone()
	switch {
	case r.err == nil:
		return nil
	case errors.Is(r.err, errGone):
		return h.lost(grant.Taken)
	case answered(r.err):
		return &grant.Fault{
			Verb: "release", Name: h.lock.Path, Kind: grant.ErrUnavailable,
			Detail: "the server does not let it delete its node, which stays until the session ends", Causes: []error{r.err},
		}
	}
	return h.unknown(r.err)
}

// unknown: the delete goes on behind. By the end of the session's time-out the
// node is gone even without it, if the servers run and we do not reach them.
func (h *holding) unknown(err error) error {
	return grant.NewUnknown("release", h.lock.Path, time.Now().Add(h.place.epoch.timeout), err)
}

// Extend asks a quorum whether the node is there; a lease is set anew.
func (h *holding) Extend(ctx context.Context, lease time.Duration) error {
	e, asked := h.place.epoch, grant.Now()
	ctx, cancel := context.WithTimeout(ctx, h.lock.Core.attemptLimit())
	defer cancel()
	gone, err := h.isGone(ctx)
	switch {
	case gone:
		h.loseTaken()
		return h.lost(grant.Taken)
	case err != nil:
		return &grant.Fault{Verb: "extend", Name: h.lock.Path, Kind: grant.ErrUnavailable, Causes: []error{err}}
	}
	sent, until := e.belief()
	h.grant.Renewed(sent, until, 0)
	if lease > 0 {
		h.mu.Lock()
		h.freeAt = asked.Add(lease)
		h.mu.Unlock()
		h.grant.Bound(asked.Add(validity(lease)))
	}
	return nil
}

// isGone asks a quorum. A single node may be another's: the read behind the
// answer sees at least what the quorum has.
func (h *holding) isGone(ctx context.Context) (bool, error) {
	ops := []zkcore.Op{{Kind: zkcore.Check, Path: h.place.path, Version: zkcore.AnyVersion}}
	if h.lock.Recipe.Single != "" {
		ops = append(ops, zkcore.Op{Kind: zkcore.Get, Path: h.place.path})
	}
	out, err := h.place.epoch.do(ctx, ops...)
	for _, r := range out {
		if err == nil {
			err = r.Err
		}
	}
	if err == nil && len(out) > 1 {
		return string(out[1].Data) != h.place.guid, nil
	}
	return zkcore.NoNode.Is(err), err
}

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
		h.place.leave(false)
		return
	}
	h.lock.Core.Later(func(ctx context.Context) {
		if h.place.epoch.outlives(ctx, at, ended) {
			h.lock.remove(h.place)
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
	h.lock.remove(h.place)
}

// Settle lets go, behind, when no level is alive.
func (h *holding) Settle(g *grant.Grant, _ grant.Count) {
	h.lock.Core.Later(func(ctx context.Context) {
		if err := g.Turn(ctx); err != nil {
			if g.Alive().Total() == 0 {
				h.gone()
			}
			return
		}
		defer g.Done()
		_ = g.Lower(ctx)
	})
}
