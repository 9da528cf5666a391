package redisx

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
)

// holding is the store's side of one grant on Redis.
type holding struct {
	lock  *Lock
	line  *claim.Line
	owner string
	grant *grant.Grant
	again bool // an earlier request for it may yet be carried out
	once  sync.Once
}

// gone takes the hold out of the line, once; the next local waiter may ask.
func (h *holding) gone() {
	h.once.Do(func() {
		h.lock.Core.Forget(h.grant)
		h.line.Gone()
		h.lock.Core.LeaveLine(h.lock.id())
	})
}

// handedOver is gone where the line has counted the heir already.
func (h *holding) handedOver() {
	h.once.Do(func() {
		h.lock.Core.Forget(h.grant)
		h.lock.Core.LeaveLine(h.lock.id())
	})
}

// Reenter makes the stored count that of want. Under the watchdog it is a renewal too.
func (h *holding) Reenter(ctx context.Context, want grant.Count) error {
	if !h.lock.Recipe.Levels {
		return nil
	}
	c, p := h.lock.Core, h.grant.Policy()
	lease := p.Lease
	if p.Leased || !p.End.IsZero() {
		lease = 0
	}
	trial := c.try(ctx)
	defer trial.Stop()
	a, err := c.run(trial, call{
		script: h.lock.Recipe.Acquire, keys: h.lock.keys(h.owner),
		args: []any{h.owner, lease.Milliseconds(), want.Total()},
	}, 0)
	if err != nil {
		h.mayLast(err, lease)
		return err
	}
	if a.code != 1 {
		h.grant.Lose(grant.Taken)
		return h.lost()
	}
	if lease > 0 {
		h.grant.Renewed(a.sent, a.sent.Add(c.validity(lease)), lease)
	}
	return nil
}

// mayLast notes that a request without an answer may have set a lease.
func (h *holding) mayLast(err error, lease time.Duration) {
	if lease > 0 && maybeDone(err) {
		h.grant.MayLast(lease)
	}
}

func (h *holding) lost() error {
	return grant.NewLost(h.grant.Name, grant.Taken, time.Now())
}

// Extend sets the lease anew, or with 0 only asks whether the grant is ours.
func (h *holding) Extend(ctx context.Context, lease time.Duration) error {
	c := h.lock.Core
	fault := func(err error) error {
		return &grant.Fault{Verb: "extend", Name: h.lock.Name, Kind: grant.ErrUnavailable, Causes: []error{err}}
	}
	trial := c.try(ctx)
	defer trial.Stop()
	a, err := c.run(trial, call{
		script: h.lock.Recipe.Renew, keys: []string{h.lock.key}, args: []any{lease.Milliseconds(), h.owner},
	}, 0)
	switch {
	case err != nil:
		h.mayLast(err, lease)
		return fault(err)
	case outcomeOf(a.code) == refused:
		return fault(errRefused)
	case a.code != 1:
		h.grant.Lose(grant.Taken)
		return h.lost()
	case lease > 0:
		h.grant.Renewed(a.sent, a.sent.Add(c.validity(lease)), lease)
	}
	return nil
}

// Release lowers the stored count to left; 0 lets go, and gives the lock to the
// next local waiter in the same request where the line's bounds allow it.
func (h *holding) Release(ctx context.Context, left grant.Count) error {
	if left.Total() > 0 && !h.lock.Recipe.Levels {
		return nil
	}
	var r settler = &lowering{holding: h, left: left.Total()}
	if left.Total() == 0 {
		r = h.parting()
	}
	err := h.settle(ctx, r, false)
	var trouble *claim.Trouble
	switch {
	case err == nil, errors.Is(err, grant.ErrLost):
		return err
	case errors.As(err, &trouble):
		err = trouble.Err
	}
	r.unanswered()
	h.lock.Core.Later(func(ctx context.Context) {
		ctx, cancel := context.WithDeadline(ctx, h.last())
		defer cancel()
		if err := h.settle(ctx, r, true); err != nil && !errors.Is(err, grant.ErrLost) {
			h.lock.Core.log.Warn("release not confirmed", "lock", grant.Brief(h.lock.Name), "err", err)
		}
		r.giveUp()
	})
	return grant.NewUnknown("release", h.lock.Name, h.last(), err)
}

// last is when the lock cannot be ours any more, if the store runs.
func (h *holding) last() time.Time {
	return time.Now().Add(h.grant.StoredFor() + time.Second)
}

// settler is one request that lets go, and what its answers mean.
type settler interface {
	ask(ctx context.Context) (done bool, err error)
	// unanswered: the caller goes, the request is repeated behind.
	unanswered()
	// giveUp: there will be no answer. It may be called after an answer.
	giveUp()
}

// settle repeats r until it is answered or ctx ends. An answer of "not ours"
// after a request without an answer is that request's work.
func (h *holding) settle(ctx context.Context, r settler, unsure bool) error {
	var said error // what the store answered last; it tells more than a time-out
	for n := 1; ; n++ {
		trial := h.lock.Core.try(ctx)
		done, err := r.ask(trial)
		trial.Stop()
		switch {
		case err == nil && (done || unsure):
			return nil
		case err == nil:
			return h.lost()
		}
		unsure = unsure || maybeDone(err)
		if silent(err) && said != nil {
			err = said
		}
		said = err
		select {
		case <-ctx.Done():
			return err
		case <-h.lock.Core.Behind.Done(): // closed: there is nothing to send it with
			return err
		case <-time.After(grant.RetryIn(h.lock.Core.set.WatchdogLease, n)):
		}
	}
}

// lowering brings the stored count down to the levels left.
type lowering struct {
	*holding
	left int
}

func (r *lowering) ask(ctx context.Context) (bool, error) {
	a, err := r.release(ctx, r.left)
	return a.code != 0, err
}

func (r *lowering) unanswered() {}

func (r *lowering) giveUp() {}

// mark is when a release leaves a mark for late acquires of its owner.
type mark int

const (
	markNever   mark = 0
	markMissing mark = 1 // when it finds nothing: the acquire may be late
	markAlways  mark = 2 // an earlier acquire than the answered one may be late
)

func markIf(doubt bool, otherwise mark) mark {
	if doubt {
		return markAlways
	}
	return otherwise
}

// release is one request of the release script.
func (h *holding) release(ctx context.Context, left int) (answer, error) {
	return h.lock.release(ctx, h.owner, left, markIf(h.again, markNever))
}

func (l *Lock) release(ctx context.Context, owner string, left int, m mark) (answer, error) {
	return l.Core.run(ctx, call{
		script: l.Recipe.Release, keys: l.keys(owner),
		args: []any{owner, left, l.Core.publishing(), int(m)},
	}, 0)
}

// Lost is told once that the grant is over. The store is left alone: what is
// left of the lease is the holder's time to stop.
func (h *holding) Lost() { h.gone() }

// Discard lets go, behind, of what a lost grant may have left.
func (h *holding) Discard() { h.lock.undo(h.owner, markIf(h.again, markNever), h.grant.Policy().Lease) }

// Settle brings the stored count down to what is alive, behind.
func (h *holding) Settle(g *grant.Grant, _ grant.Count) {
	h.lock.Core.Later(func(ctx context.Context) {
		ctx, cancel := context.WithDeadline(ctx, h.last())
		defer cancel()
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
