package redisx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/settings"
)

const (
	// mostHandovers in a row, so that waiters of other processes get their turn.
	mostHandovers = 16
	// After a row the line stands back at least this long, and until the
	// release's message has come back, but not for ever: a message may be lost.
	leastPause = 10 * time.Millisecond
	mostPause  = time.Second
)

// parting lets go of the last level.
type parting struct {
	*holding
	heir   *claim.Place
	who    *lockClaim // the heir's
	doubt  bool       // an earlier request may yet be carried out
	closed bool       // the line has been told
}

// parting chooses whom the lock goes to: an heir in this process, or whoever is
// first at the store.
func (h *holding) parting() *parting {
	p := &parting{holding: h}
	c := h.lock.Core
	if h.lock.Recipe.Handover == nil || c.set.Replicas > 0 || c.IsClosing() {
		return p
	}
	if p.heir = h.line.Heir(mostHandovers, h.grant.Policy().Lease/10); p.heir != nil {
		p.who = p.heir.Kind().(*lockClaim)
	}
	return p
}

func (p *parting) ask(ctx context.Context) (bool, error) {
	if p.heir == nil {
		return p.letGo(ctx)
	}
	l := p.who.lock // the same lock, with the fence that the heir wants
	a, err := l.Core.run(ctx, call{
		script: l.Recipe.Handover, keys: l.keys(p.who.owner),
		args: []any{p.owner, p.who.owner, p.who.policy.Lease.Milliseconds(), l.Core.publishing()},
	}, 0)
	if err != nil {
		p.doubt = p.doubt || maybeDone(err)
		return false, err
	}
	if a.code == 1 {
		p.heir.Inherit(bequest{fence: a.int(0), sent: a.sent, again: p.doubt})
	} else {
		p.heir.Pass()
	}
	p.handedOver()
	p.closed = true
	return a.code != 0, nil
}

// letGo is a plain release. When it ends a row of hand-overs and somebody else
// listens, the line stands back for a moment.
func (p *parting) letGo(ctx context.Context) (bool, error) {
	hub, channel := p.lock.Core.hub, p.lock.channel()
	before := hub.heard(channel)
	a, err := p.release(ctx, 0)
	if err != nil {
		return false, err
	}
	if p.line.InRow() && p.others(a.int(0)) {
		listening := hub.listening(channel) > 0
		p.line.EndRow(leastPause, mostPause, func() bool {
			return !listening || p.lock.Recipe.Deaf || hub.heard(channel) != before
		})
	}
	p.gone()
	p.closed = true
	return a.code != 0, nil
}

// others reports whether a waiter outside of this process may listen, going by
// how many the message reached.
func (p *parting) others(reached int64) bool {
	c := p.lock.Core
	if p.lock.Recipe.Deaf {
		return true
	}
	s := c.probe.known.Load()
	if s != nil && s.Cluster && c.publishing() != publishSharded {
		return true // the count is that of one node
	}
	if c.set.Signals == settings.Off {
		return reached > 0
	}
	return reached > int64(c.hub.listening(p.lock.channel()))
}

// unanswered lets the line go on while the release is repeated behind, unless
// an heir is named in it: that one waits for the answer.
func (p *parting) unanswered() {
	if p.heir == nil && !p.closed {
		p.gone()
	}
}

func (p *parting) giveUp() {
	if p.closed {
		return
	}
	if p.heir != nil {
		p.heir.Pass()
		p.handedOver()
		return
	}
	p.gone()
}
