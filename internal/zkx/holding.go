package zkx

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// holding is the store's side of one grant on ZooKeeper: a node, and for a writer
// that has taken the read side another. Levels are counted here alone.
type holding struct {
	lock   *Lock
	place  *place
	grant  *grant.Grant
	level  *grant.Level // the outermost
	freeAt time.Time    // when the library takes the node away; zero: never
	after  func()       // when the hold is gone from this process; may be nil
	once   sync.Once

	mu     sync.Mutex
	side   *place                 // the read side of a writer; nil: not taken
	timers map[*place]*time.Timer // until the own nodes are watched
	over   bool
	told   int32  // data version of the last request to let go, and one
	taken  bool   // the node is not there any more
	ended  func() // its user has stopped before freeAt; nil: nobody waits for that
}

// gone takes the hold off the books, once.
func (h *holding) gone() {
	h.once.Do(func() {
		h.mu.Lock()
		h.over = true
		for _, t := range h.timers {
			t.Stop()
		}
		h.mu.Unlock()
		h.lock.Core.Forget(h.grant)
		h.place.epoch.drop(h.grant)
		if h.after != nil {
			h.after()
		}
	})
}

func (h *holding) lost(why grant.Reason) error { return grant.NewLost(h.grant.Name, why, time.Now()) }

// Release deletes the node with the last level, and of a writer that reads too
// the node of the side that it has let go of.
func (h *holding) Release(ctx context.Context, left grant.Count) error {
	over := left.Total() == 0
	var parts []*removal
	for _, p := range h.spare(left) {
		// A reader's release makes nobody first, nor does a writer's that reads on.
		parts = append(parts, h.lock.part(p, over && p == h.place && !h.lock.Recipe.Shared))
	}
	var err error
	for _, r := range parts {
		if failed := h.await(ctx, r); err == nil {
			err = failed
		}
	}
	if over {
		h.gone()
	}
	return err
}

// await waits for a removal, which goes on behind when ctx ends first.
func (h *holding) await(ctx context.Context, r *removal) error {
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			return h.unknown(context.Cause(ctx))
		}
	}
	switch {
	case r.err == nil:
		return nil
	case errors.Is(r.err, errGone):
		h.loseTaken()
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
	ctx, cancel := context.WithTimeoutCause(ctx, h.lock.Core.attemptLimit(), errNoAnswer)
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

// isGone asks a quorum. Where the name does not tell whose a node is, the read
// behind the answer does: it sees at least what the quorum has.
func (h *holding) isGone(ctx context.Context) (bool, error) {
	var ops []zkcore.Op
	var guids []string
	for _, p := range h.live() {
		ops = append(ops, zkcore.Op{Kind: zkcore.Check, Path: p.path, Version: zkcore.AnyVersion})
		guids = append(guids, "")
		if h.lock.Recipe.anonymous() {
			ops = append(ops, zkcore.Op{Kind: zkcore.Get, Path: p.path})
			guids = append(guids, p.guid)
		}
	}
	out, err := h.place.epoch.do(ctx, ops...)
	for i, r := range out {
		if err == nil {
			err = r.Err
		}
		if err == nil && guids[i] != "" && string(r.Data) != guids[i] {
			return true, nil
		}
	}
	return zkcore.NoNode.Is(err), err
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
