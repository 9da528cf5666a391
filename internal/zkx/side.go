package zkx

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// A writer that takes the read side gets a second node, with the digits of its
// own, so that it keeps its place in the line when it lets go of the write side
// first: what queued in between stays behind. Curator does so since 5.5.0.

// Reenter needs no trip but for a writer's first level on the read side.
func (h *holding) Reenter(ctx context.Context, want grant.Count) error {
	if want.Shared == 0 || h.lock.Recipe.Shared || h.lock.Recipe.Reads == "" {
		return nil
	}
	h.mu.Lock()
	p := h.side
	if p == nil {
		p = h.newSide()
		h.side = p // also when its outcome stays unknown: then it is to be removed
	}
	h.mu.Unlock()
	if p.sure {
		return nil
	}
	ctx, cancel := h.lock.Core.try(ctx)
	defer cancel()
	_, err := p.epoch.one(ctx, zkcore.Op{
		Kind: zkcore.Create, Path: p.path, Data: h.lock.Recipe.Naming.Data(p.guid),
		Mode: zkcore.Ephemeral, ACL: h.lock.Core.set.ACL,
	})
	switch {
	case err == nil, zkcore.NodeExists.Is(err): // by an attempt without an answer
		p.sure = true
		p.epoch.take(p)
		h.watchOwn(p)
		return nil
	case answered(err) && !passing(err):
		return refused("create its node", err)
	}
	return &claim.Trouble{Err: err}
}

// newSide is the place of the read side, at the writer's own digits.
func (h *holding) newSide() *place {
	r, guid := h.lock.Recipe, grant.NewUUID()
	_, digits, _ := r.Naming.Parse(base(h.place.path))
	return &place{
		epoch: h.place.epoch, guid: guid, czxid: h.place.czxid,
		path: join(h.lock.dir, r.Naming.Name(guid, r.Reads)+digits),
	}
}

// spare takes out the nodes that are not needed for the levels left.
func (h *holding) spare(left grant.Count) (out []*place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.side != nil && left.Shared == 0 {
		h.side.parting()
		out = append(out, h.side)
		h.side = nil
	}
	needed := left.Exclusive
	if h.lock.Recipe.Shared {
		needed = left.Shared
	}
	if needed == 0 && !h.place.isParting() {
		h.place.parting()
		out = append(out, h.place)
	}
	return out
}

// live are the nodes that the hold has.
func (h *holding) live() (out []*place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.place.isParting() {
		out = append(out, h.place)
	}
	if h.side != nil {
		out = append(out, h.side)
	}
	return out
}
