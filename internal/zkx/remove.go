package zkx

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// errGone: the node was not there any more.
var errGone = errors.New("the node is gone")

// removal is the guaranteed delete of a node of ours: it is repeated behind
// whoever wants it until the server has answered it, in the next session too,
// because the old one may live on at the server for a while.
type removal struct {
	lock  *Lock
	place *place
	held  bool        // until now, alone
	heirs []*follower // whose nodes were there when it was answered
	done  chan struct{}
	err   error // when done: nil, errGone, or why not
}

// remove starts the removal of a place that was not held, or whose hold is over.
func (l *Lock) remove(p *place) *removal { return l.part(p, false) }

// part starts a removal; passed says that the place is held until then.
func (l *Lock) part(p *place, passed bool) *removal {
	r := &removal{lock: l, place: p, held: passed, done: make(chan struct{})}
	l.Core.Later(func(ctx context.Context) {
		r.err = r.run(ctx)
		p.leave(r.heirs...)
		close(r.done)
		if p.doubt && l.Recipe.Single == "" && !l.Recipe.Naming.InData() {
			l.sweep(p)
		}
	})
	return r
}

// sweep takes away what else the GUID of a place has made, now and once no
// request of a connection that was cut can be on its way any more.
func (l *Lock) sweep(p *place) {
	for range 2 {
		out, err := p.epoch.one(context.Background(), zkcore.Op{Kind: zkcore.List, Path: l.dir})
		if err == nil {
			l.removeTwins(p, out.Children)
		}
		timer := time.NewTimer(stray)
		select {
		case <-timer.C:
		case <-p.epoch.over:
			timer.Stop()
			return
		}
	}
}

// removeTwins takes away the nodes of a place's GUID other than its own.
func (l *Lock) removeTwins(p *place, children []string) {
	for _, name := range children {
		if name != base(p.path) && l.Recipe.Naming.Mine(name, l.Recipe.Infix, p.guid) {
			l.remove(&place{epoch: p.epoch, path: join(l.dir, name), guid: p.guid})
		}
	}
}

// run repeats the delete. An answer of "not there" after a delete without an
// answer is that delete's work.
func (r *removal) run(ctx context.Context) error {
	unsure := false
	e, deadline := r.place.epoch, time.Time{}
	for n := 0; ; n++ {
		err := r.ask(e)
		switch {
		case err == nil:
			return nil
		case zkcore.NoNode.Is(err), errors.Is(err, errGone):
			if unsure {
				return nil
			}
			return errGone
		case answered(err) && !passing(err):
			r.lock.Core.log.Warn("delete refused", "lock", grant.Brief(r.lock.Path), "node", r.place.path, "err", err)
			return err
		}
		unsure = unsure || maybeDone(err)
		if e.isOver() {
			if deadline.IsZero() {
				// By then the server has ended the session, and its nodes.
				deadline = time.Now().Add(2 * e.timeout)
			}
			if e = r.lock.Core.next(ctx, e, deadline); e == nil {
				return err
			}
			continue
		}
		e.rest(n + 1)
	}
}

// passing answers are worth asking again.
func passing(err error) bool {
	return zkcore.SessionMoved.Is(err) || zkcore.OperationTimeout.Is(err)
}

// ask is one delete. Where the name does not tell whose a node is, it may be
// another's as soon as ours was deleted by hand, so it is read first: the only
// request that such a layout needs more than Curator's.
func (r *removal) ask(e *epoch) error {
	if r.lock.Recipe.anonymous() {
		got, err := e.one(context.Background(), zkcore.Op{Kind: zkcore.Get, Path: r.place.path})
		if err != nil {
			return err
		}
		if string(got.Data) != r.place.guid {
			return errGone
		}
	}
	return r.delete(e)
}

// delete is the request. In its flight it looks at the nodes of those that are
// next, since one that was deleted by hand holds nothing.
func (r *removal) delete(e *epoch) error {
	var heirs []*follower
	if r.held && e == r.place.epoch {
		heirs = r.place.heirs()
	}
	ops := []zkcore.Op{{Kind: zkcore.Delete, Path: r.place.path, Version: zkcore.AnyVersion}}
	for _, f := range heirs {
		ops = append(ops, zkcore.Op{Kind: zkcore.Get, Path: f.own})
	}
	out, _ := e.do(context.Background(), ops...)
	if out[0].Err != nil {
		return out[0].Err
	}
	for i, f := range heirs {
		if out[i+1].Err == nil {
			r.heirs = append(r.heirs, f)
		}
	}
	return nil
}

// next is the session after e, nil when there is none in time.
func (c *Core) next(ctx context.Context, e *epoch, deadline time.Time) *epoch {
	t := time.NewTimer(time.Until(deadline))
	defer t.Stop()
	for {
		now, changed, _ := c.session()
		if now != nil && now != e {
			return now
		}
		select {
		case <-changed:
		case <-t.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}
