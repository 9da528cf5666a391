package zkx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

var (
	errSlow    = errors.New("no answer yet")
	errNodeOut = errors.New("its node was deleted by somebody else")
)

// queued is one Lock call in a line: a node of its own, then the wait for the
// one node that matters.
type queued struct {
	lock *Lock
	opts grant.Options
	once bool
	wake chan struct{}

	ticket *ticket
	seen   bool // the ticket's outcome has been looked at
	place  *place
	ear    *ear      // at the node in front, or
	behind *follower // at a place of ours in front
	ahead  string    // its name
	hold   *holding
	level  *grant.Level
}

func newQueued(l *Lock, o grant.Options, once bool) *queued {
	return &queued{lock: l, opts: o, once: once, wake: make(chan struct{}, 1)}
}

// Ask is one step; see claim.Claim.
func (q *queued) Ask(ctx context.Context) (*grant.Level, claim.Busy, error) {
	e, err := q.lock.Core.await(ctx)
	if err != nil {
		return nil, claim.Busy{}, err
	}
	if q.ticket != nil && q.ticket.epoch != e {
		q.reset()
	}
	if q.ticket == nil {
		q.ticket = q.lock.draw(e)
	}
	if !q.seen {
		return q.arrive(ctx)
	}
	return q.step(ctx)
}

// reset gives the place up, for another one at the end of the line.
func (q *queued) reset() {
	q.unhook()
	if q.ticket != nil {
		q.ticket.leave()
	}
	q.ticket, q.place, q.seen = nil, nil, false
}

func (q *queued) unhook() {
	if q.ear != nil {
		q.ear.leave()
	}
	if q.behind != nil {
		q.behind.leave()
	}
	q.ear, q.behind, q.ahead = nil, nil, ""
}

// arrive waits for the ticket's outcome.
func (q *queued) arrive(ctx context.Context) (*grant.Level, claim.Busy, error) {
	if err := q.ticket.wait(ctx); err != nil {
		return nil, claim.Busy{}, err
	}
	if err := q.ticket.err; err != nil {
		q.reset()
		return nil, claim.Busy{}, troubled(err)
	}
	q.seen, q.place = true, q.ticket.place
	q.place.onWake(func() { grant.Signal(q.wake) })
	return q.judge(ctx, q.ticket.children)
}

// wait is for the outcome, with some patience.
func (t *ticket) wait(ctx context.Context) error {
	select {
	case <-t.done:
		return nil
	default:
	}
	timer := time.NewTimer(t.lock.Core.attemptLimit())
	defer timer.Stop()
	select {
	case <-t.done:
		return nil
	case <-timer.C:
		return &claim.Trouble{Err: errSlow}
	case <-t.lock.Core.Closing:
		return &grant.Fault{Kind: grant.ErrClosed}
	case <-ctx.Done():
		return &claim.Trouble{Err: context.Cause(ctx)}
	}
}

// troubled makes trouble of what is worth asking again.
func troubled(err error) error {
	var fault *grant.Fault
	if errors.As(err, &fault) {
		return err
	}
	return &claim.Trouble{Err: err}
}

// step is what a woken claim does. It keeps the facts: only the end of the node
// in front can make it first, a changed node or a timer cannot.
func (q *queued) step(ctx context.Context) (*grant.Level, claim.Busy, error) {
	if q.behind != nil {
		if gone, passed := q.behind.end(); gone && passed {
			return q.granted()
		} else if !gone {
			return q.check(ctx)
		}
	} else if q.ear != nil && q.ear.heard() == 0 {
		return q.check(ctx)
	}
	limited, cancel := q.lock.Core.try(ctx)
	defer cancel()
	r, err := q.place.epoch.one(limited, zkcore.Op{Kind: zkcore.List, Path: q.lock.dir})
	switch {
	case zkcore.NoNode.Is(err):
		r.Children = nil
	case err != nil && answered(err):
		return nil, claim.Busy{}, refused("list its directory", err)
	case err != nil:
		return nil, claim.Busy{}, &claim.Trouble{Err: err}
	}
	return q.judge(ctx, r.Children)
}

// check makes sure that our node, and the one in front, are still there.
func (q *queued) check(ctx context.Context) (*grant.Level, claim.Busy, error) {
	ops := []zkcore.Op{{Kind: zkcore.Get, Path: q.place.path}}
	if q.behind == nil {
		ops = append(ops, zkcore.Op{Kind: zkcore.Get, Path: join(q.lock.dir, q.ahead)})
	}
	limited, cancel := q.lock.Core.try(ctx)
	defer cancel()
	out, err := q.place.epoch.do(limited, ops...)
	switch {
	case err != nil:
		return nil, claim.Busy{}, &claim.Trouble{Err: err}
	case zkcore.NoNode.Is(out[0].Err):
		return q.out()
	case len(out) > 1 && zkcore.NoNode.Is(out[1].Err):
		q.unhook()
		return q.step(ctx)
	}
	return nil, q.busy(), nil
}

// out: our node is gone, so we stand nowhere.
func (q *queued) out() (*grant.Level, claim.Busy, error) {
	q.reset()
	return nil, claim.Busy{}, &claim.Trouble{Err: errNodeOut}
}

// judge decides from the children of the directory.
func (q *queued) judge(ctx context.Context, children []string) (*grant.Level, claim.Busy, error) {
	if q.place.doubt && !q.lock.Recipe.Naming.InData() {
		q.lock.removeTwins(q.place, children)
	}
	f, err := q.lock.Recipe.look(children, base(q.place.path))
	switch {
	case err != nil:
		return nil, claim.Busy{}, &grant.Fault{Kind: grant.ErrConflict, Causes: []error{err}}
	case !f.own:
		return q.out()
	}
	ahead := q.lock.Recipe.Rule(f.ahead)
	switch {
	case ahead == "":
		return q.granted()
	case q.once:
		return nil, claim.Busy{}, nil
	}
	if ahead != q.ahead || q.ear != nil && q.ear.heard() != 0 {
		if err := q.waitFor(ctx, ahead); zkcore.NoNode.Is(err) {
			// It went between the list and the watch: look again, at once.
			grant.Signal(q.wake)
		} else if err != nil && ctx.Err() == nil {
			return nil, claim.Busy{}, err
		}
	}
	return nil, q.busy(), nil // also when its time is over: the store has said no
}

// waitFor hooks on to the node in front: to our own session's without a watch.
func (q *queued) waitFor(ctx context.Context, ahead string) error {
	q.unhook()
	path := join(q.lock.dir, ahead)
	if q.behind = q.place.epoch.follow(path, q.place.path, q.wake); q.behind != nil {
		q.ahead = ahead
		return nil
	}
	limited, cancel := q.lock.Core.try(ctx)
	defer cancel()
	ear, err := q.place.epoch.listen(limited, path, q.wake)
	switch {
	case err == nil:
		q.ear, q.ahead = ear, ahead
		return nil
	case zkcore.NoNode.Is(err):
		return err
	case answered(err):
		return refused(fmt.Sprintf("read %q, the node in front", ahead), err)
	}
	return &claim.Trouble{Err: err}
}

// busy is what to wait for. The timer is not for the wake-up, but for what no
// watch tells.
func (q *queued) busy() claim.Busy {
	return claim.Busy{Wake: q.wake, After: silence - time.Duration(rand.Int64N(int64(silence/10)))}
}

func (q *queued) granted() (*grant.Level, claim.Busy, error) {
	q.unhook()
	h := &holding{lock: q.lock, place: q.place}
	owner := base(q.place.path)
	if q.lock.Recipe.Naming.InData() {
		owner = q.place.guid
	}
	level, err := q.lock.grant(h, q.opts, owner)
	if err != nil {
		h.gone()
		return nil, claim.Busy{}, err
	}
	q.hold, q.level = h, level
	return level, claim.Busy{}, nil
}

// Leave lets go of everything; see claim.Claim.
func (q *queued) Leave() {
	q.unhook()
	if q.hold != nil {
		q.level.Undo()
		q.hold.gone()
	}
	if q.ticket != nil {
		q.ticket.leave()
	}
}
