package redisx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
)

var (
	errLate   = errors.New("the answer came too late for the lease")
	errUndone = errors.New("a request of an owner that was undone")
)

// lockClaim is one Lock call at the store: try; subscribe; when that is
// confirmed try again; then wait for a signal and a timer. Waiters of this
// process stand in one line, and only its first asks.
type lockClaim struct {
	lock   *Lock
	opts   grant.Options
	policy grant.Policy
	once   bool

	line  *claim.Line
	place *claim.Place
	wake  chan struct{}
	ear   *ear
	asks  int // answered with "held", for the back-off without signals
	ready bool
	fell  string // why the last grant came to nothing: what is in the way may be our own

	owner string
	doubt bool // a request of the owner may yet be carried out; an answer to a later one does not clear it
	level *grant.Level
	hold  *holding
}

// bequest is what a hand-over brings to the heir's claim.
type bequest struct {
	fence int64
	sent  time.Time
	again bool
}

func newClaim(l *Lock, o grant.Options, p grant.Policy, once bool) *lockClaim {
	return &lockClaim{
		lock: l, opts: o, policy: p, once: once, line: l.Core.Line(l.id()),
		owner: l.Core.owner(), wake: make(chan struct{}, 1),
	}
}

// Ask is one step; see claim.Claim.
func (c *lockClaim) Ask(ctx context.Context) (*grant.Level, claim.Busy, error) {
	if !c.ready {
		if err := c.lock.ready(ctx); err != nil {
			return nil, claim.Busy{}, err
		}
		c.ready = true
	}
	if c.once {
		return c.request(ctx)
	}
	if c.place == nil {
		c.place = c.line.Join(c, c.wake)
	}
	if b, ok := c.place.Bequest().(bequest); ok {
		return c.granted(b.fence, b.sent, b.again, true)
	}
	ask, front, after := c.place.Turn()
	if !ask {
		if front {
			c.listen() // to hear a release that ends a row of hand-overs
		}
		return nil, claim.Busy{Wake: c.wake, After: after, Local: true}, nil
	}
	level, busy, err := c.request(ctx)
	if level == nil {
		c.place.Refused()
	}
	return level, busy, err
}

func (c *lockClaim) request(ctx context.Context) (*grant.Level, claim.Busy, error) {
	l := c.lock
	trial := l.Core.try(ctx)
	defer trial.Stop()
	a, err := l.Core.run(trial, call{
		script: l.Recipe.Acquire, keys: l.keys(c.owner),
		args: []any{c.owner, c.policy.Lease.Milliseconds(), 1},
	}, l.Core.set.Replicas)
	if err != nil {
		// A script that fails may have got some way.
		c.doubt = c.doubt || maybeDone(err) || a.code == 1 || !errors.As(err, new(*claim.Trouble))
		return nil, claim.Busy{}, err
	}
	switch a.code {
	case 1:
		if short := int64(l.Core.set.Replicas) - a.acks; short > 0 {
			return nil, claim.Busy{}, c.again(fmt.Errorf("%d of %d replicas acknowledged", a.acks, l.Core.set.Replicas))
		}
		return c.granted(a.int(0), a.sent, c.doubt, false)
	case 0:
		c.asks++
		return nil, c.busy(time.Duration(a.int(0)) * time.Millisecond), nil
	case -2:
		return nil, claim.Busy{}, &grant.Fault{Kind: grant.ErrConflict, Detail: "the key holds " + describe(a.text(0))}
	}
	return nil, claim.Busy{}, c.again(errUndone)
}

func describe(kind string) string {
	if kind == "mode" {
		return "a read-write lock"
	}
	return "a " + kind
}

// again undoes what this owner may have got and goes on as another: an owner
// that was undone never asks again.
func (c *lockClaim) again(why error) error {
	c.lock.undo(c.owner, markIf(c.doubt, markMissing), c.policy.Lease)
	c.fell = why.Error()
	c.owner, c.doubt = c.lock.Core.owner(), false
	return &claim.Trouble{Err: why, Final: c.once}
}

// granted makes the grant and its first level, unless it came too late.
// handed: the line has already counted the hold.
func (c *lockClaim) granted(fence int64, sent time.Time, again, handed bool) (*grant.Level, claim.Busy, error) {
	l := c.lock
	until := sent.Add(l.Core.validity(c.policy.Lease))
	if !grant.Now().Before(until) {
		if handed {
			c.rejoin()
		}
		return nil, claim.Busy{}, c.again(errLate)
	}
	if c.opts.Bounded {
		c.policy.End = grant.Now().Add(c.opts.MaxHold)
	}
	h := &holding{lock: l, line: c.line, owner: c.owner, again: again}
	g := grant.New(grant.Start{
		ID: l.id(), Name: l.Name, Owner: c.owner, Fence: fence, Fenced: l.Fenced,
		Store: h, Keeper: &l.Core.Keeper, Policy: c.policy, Emit: l.Core.Emitter(l.Recipe.Name),
		Sent: sent, Until: until,
	})
	h.grant = g
	switch {
	case handed:
	case c.once:
		c.line.Hold()
	default:
		c.place.Granted()
	}
	c.hold = h
	if !l.Core.Keep(g) {
		return nil, claim.Busy{}, &grant.Fault{Kind: grant.ErrClosed}
	}
	level, err := g.Open(nil, c.opts)
	if err != nil {
		return nil, claim.Busy{}, err
	}
	c.level = level
	c.hush()
	return level, claim.Busy{}, nil
}

// rejoin goes back to the line after a hand-over that came too late.
func (c *lockClaim) rejoin() {
	c.line.Gone()
	c.place = c.line.Join(c, c.wake)
}

// Leave lets go of everything; see claim.Claim.
func (c *lockClaim) Leave() {
	c.hush()
	switch {
	case c.hold != nil:
		if c.level != nil {
			c.level.Undo()
		}
		c.lock.undo(c.owner, markIf(c.doubt, markMissing), c.policy.Lease)
		c.hold.gone()
		return
	case c.place != nil:
		spoken := c.place.Leave()
		_, inherited := c.place.Bequest().(bequest)
		if inherited {
			c.line.Gone()
		}
		c.doubt = c.doubt || spoken || inherited
	}
	if c.doubt {
		c.lock.undo(c.owner, markAlways, c.policy.Lease)
	}
	c.lock.Core.LeaveLine(c.lock.id())
}

func (c *lockClaim) listen() {
	if c.ear == nil && c.lock.Core.set.Signals != settings.Off {
		c.ear = c.lock.Core.hub.join(c.lock.channel(), c.wake)
	}
}

func (c *lockClaim) hush() {
	if c.ear != nil {
		c.ear.leave()
		c.ear = nil
	}
}

// busy is what to wait for behind another owner whose lease has ttl left.
func (c *lockClaim) busy(ttl time.Duration) claim.Busy {
	if c.lock.Core.set.Signals == settings.Off {
		return claim.Busy{After: backOff(c.asks), Why: c.fell}
	}
	if !c.once {
		c.listen()
	}
	return claim.Busy{Wake: c.wake, After: lookAgain(ttl, c.lock.Recipe.Poll), Why: c.fell}
}

const (
	// A refused claim never asks again sooner than this without a signal.
	leastWait = 2 * time.Millisecond
	// longestBackOff bounds the pauses of a waiter that hears no signals.
	longestBackOff = 128 * time.Millisecond
)

// lookAgain is when a waiter looks again without a signal. The lease of the
// holder is a hint only: a signal may be lost, a clock may step.
func lookAgain(ttl, poll time.Duration) time.Duration {
	if ttl < 0 || ttl > poll {
		return poll - poll/10 + time.Duration(rand.Int64N(int64(poll/10)+1))
	}
	return max(ttl+time.Millisecond, leastWait)
}

// backOff is the pause after the n-th refusal of a waiter that hears nothing:
// doubling from a millisecond, with full jitter in its upper half.
func backOff(n int) time.Duration {
	d := min(time.Millisecond<<min(n, 16), longestBackOff)
	return max(d/2+time.Duration(rand.Int64N(int64(d/2)+1)), leastWait)
}
