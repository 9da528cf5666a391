// Package grant is what a hold is made of: the state machine of one right that
// a store granted (held, at risk, lost or released, never back), the levels its
// holder re-entered to, and the clock both are judged by. It knows no store.
package grant

import (
	"context"
	"sync"
	"time"
)

// ID names a lock in this process: the core it lives in, its name there, and
// the family of recipes that share that name. It is also the key under which a
// context carries a hold.
type ID struct {
	Core   any
	Name   string
	Family string
}

// Store is the store's side of one grant. Reenter, Release and Extend are
// called one at a time.
type Store interface {
	// Reenter makes the store count k levels.
	Reenter(ctx context.Context, k int) error
	// Release makes the store count left levels; 0 lets go.
	Release(ctx context.Context, left int) error
	// Extend asks whether the grant is still ours and sets its lease anew; with
	// a lease of 0 it only asks.
	Extend(ctx context.Context, lease time.Duration) error
	// Lost is told once, when the grant is over without a release. It must not
	// block and must leave the store alone: the margin before expiry is the
	// holder's time to stop.
	Lost()
	// Discard takes what a lost grant may have left out of the store, behind.
	Discard()
	// Settle brings the store's count down to the left levels alive now, or to
	// what is alive when it gets there, behind. It must not block.
	Settle(g *Grant, left int)
}

// Policy is how long a grant lives; the outermost Lock sets it.
type Policy struct {
	Lease  time.Duration // as the store keeps it; 0: no end
	Leased bool          // WithLease: not renewed
	End    time.Time     // WithMaxHold: renewed, but not beyond this
}

type state int

const (
	held state = iota
	atRisk
	lost
	released
)

// Grant is one right in the store, from the answer that gave it to its end.
type Grant struct {
	ID
	Name   string // as the user wrote it
	Owner  string
	Fence  int64
	Fenced bool
	store  Store
	keeper *Keeper
	policy Policy
	emit   func(Event)
	turn   chan struct{} // of the calls on the store, one at a time

	// Of whoever has the turn: the store has been told to let go, and what it
	// said.
	parted  bool
	parting error

	mu      sync.Mutex
	state   state
	since   time.Time
	sent    time.Time // of the newest answered acquire or renewal
	until   time.Time // believed in until then; zero: no end
	ttlEnd  time.Time // the store keeps it at least until then
	renewAt time.Time // zero: not now
	fails   int
	cut     bool // the last renewals got no answer
	levels  map[*Level]struct{}
	alive   int // levels neither released nor lost
	unsaid  int // levels of a lost grant not released by their user yet
	why     error

	due  time.Time // the keeper's, under its lock
	slot int
}

// Start says what a store granted.
type Start struct {
	ID
	Name, Owner string
	Fence       int64
	Fenced      bool
	Store       Store
	Keeper      *Keeper
	Policy      Policy
	Emit        func(Event)
	Sent        time.Time // instant before the answered request
	Until       time.Time // end of validity; zero: no end
}

// New is a grant that holds, without a level yet.
func New(s Start) *Grant {
	g := &Grant{
		ID: s.ID, Name: s.Name, Owner: s.Owner, Fence: s.Fence, Fenced: s.Fenced,
		store: s.Store, keeper: s.Keeper, policy: s.Policy, emit: s.Emit,
		turn: make(chan struct{}, 1), levels: make(map[*Level]struct{}, 1),
		since: Now(), slot: -1,
	}
	g.mu.Lock()
	g.believe(s.Sent, s.Until, s.Policy.Lease)
	g.mu.Unlock()
	return g
}

// believe moves the validity by an answered request; an answer to an older
// request than the newest answered one changes nothing.
func (g *Grant) believe(sent, until time.Time, lease time.Duration) {
	if sent.Before(g.sent) {
		return
	}
	g.sent, g.until, g.fails, g.cut = sent, until, 0, false
	if !g.policy.End.IsZero() && (until.IsZero() || g.policy.End.Before(until)) {
		g.until = g.policy.End
	}
	g.renewAt = time.Time{}
	if lease == 0 {
		return
	}
	if end := sent.Add(lease); end.After(g.ttlEnd) {
		g.ttlEnd = end
	}
	if !g.policy.Leased && g.nextLease(sent) > 0 {
		g.renewAt = sent.Add(RenewIn(lease))
	}
}

// nextLease is what a renewal at now would ask for: the lease, or what is left
// of a maximum hold; 0 when that would not lengthen what the store has.
func (g *Grant) nextLease(now time.Time) time.Duration {
	switch {
	case g.policy.End.IsZero():
		return g.policy.Lease
	case !g.until.Before(g.policy.End):
		return 0
	}
	return min(g.policy.Lease, LeaseFor(g.policy.End.Sub(now)))
}

// schedule tells the keeper when to look at this grant next.
func (g *Grant) schedule() {
	if g.keeper == nil {
		return
	}
	if g.state >= lost {
		g.keeper.forget(g)
		return
	}
	next := g.until
	next = sooner(next, g.renewAt)
	for l := range g.levels {
		next = sooner(next, l.bound)
	}
	g.keeper.look(g, next)
}

func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// check lets time have its effect: on the grant, then on levels with an end of
// their own. Every question goes through it, so no answer trusts a timer.
func (g *Grant) check(now time.Time) {
	if g.state >= lost {
		return
	}
	if !g.until.IsZero() && !now.Before(g.until) {
		why := Expired
		switch {
		case g.policy.Leased, !g.policy.End.IsZero() && !now.Before(g.policy.End):
			why = LeaseOver
		case g.cut:
			why = Disconnected
		}
		g.lose(why)
		return
	}
	settle := false
	for l := range g.levels {
		if !l.bound.IsZero() && !now.Before(l.bound) {
			g.end(l, NewLost(g.Name, LeaseOver, Wall(now)))
			settle = true
		}
	}
	if settle {
		if g.alive == 0 {
			g.state = released
		}
		g.store.Settle(g, g.alive)
	}
}

func (g *Grant) lose(why Reason) {
	g.state = lost
	g.why = NewLost(g.Name, why, time.Now())
	g.unsaid = g.alive
	for l := range g.levels {
		g.end(l, g.why)
	}
	g.schedule()
	g.store.Lost()
	g.say(Event{Kind: EventLost, Held: Now().Sub(g.since), Err: g.why})
}

// Lose ends the grant because the store, or a closing client, says so.
func (g *Grant) Lose(why Reason) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state < lost {
		g.lose(why)
	}
}

// Renewed is an answered renewal that was sent at sent.
func (g *Grant) Renewed(sent, until time.Time, lease time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); g.state >= lost {
		return
	}
	g.believe(sent, until, lease)
	if g.state == atRisk {
		g.state = held
		g.say(Event{Kind: EventSafe, Until: Wall(g.until)})
	}
	g.schedule()
}

// Shorten lets validity end at until at the latest: said before the store is
// asked for a shorter lease, which it may grant without our hearing of it.
func (g *Grant) Shorten(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.Before(g.until) {
		g.until, g.ttlEnd = until, time.Time{}
		g.schedule()
	}
}

// NotRenewed is a renewal without a good answer. Validity stays where it is.
func (g *Grant) NotRenewed(silent bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); g.state >= lost {
		return
	}
	g.fails++
	g.cut = silent
	g.renewAt = Now().Add(RetryIn(g.policy.Lease, g.fails))
	if g.state == held {
		g.state = atRisk
		g.say(Event{Kind: EventAtRisk, Until: Wall(g.until), Err: err})
	}
	g.schedule()
}

// dueForRenewal reports whether a renewal is wanted by then, and takes it: the
// next one waits for Renewed or NotRenewed.
func (g *Grant) dueForRenewal(now, by time.Time) (time.Duration, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.check(now)
	defer g.schedule()
	if g.state >= lost || g.renewAt.IsZero() || g.renewAt.After(by) {
		return 0, false
	}
	g.renewAt = time.Time{}
	d := g.nextLease(now)
	return d, d > 0
}

// End is how long the grant is believed in; zero: no end known.
func (g *Grant) End() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.until
}

// StoredFor is how much longer the store keeps the grant at most if nothing
// more is sent for it and its clock runs.
func (g *Grant) StoredFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(g.ttlEnd.Sub(Now()), g.policy.Lease/10)
}

// Live reports whether the grant still holds, by the clock of now.
func (g *Grant) Live() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.check(Now())
	return g.state < lost
}

// Alive is the number of levels that are neither released nor lost.
func (g *Grant) Alive() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.alive
}

// Policy is how the outermost Lock wants the grant kept.
func (g *Grant) Policy() Policy { return g.policy }

// Store is the store's side of the grant.
func (g *Grant) Store() Store { return g.store }

// EndContexts ends the contexts of all levels with err, while the grant goes on
// being held: what closing a client does first.
func (g *Grant) EndContexts(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for l := range g.levels {
		l.cancel(err)
	}
}

// Turn waits for the other calls of this grant on the store; give it back with
// Done.
func (g *Grant) Turn(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done gives the turn back.
func (g *Grant) Done() { <-g.turn }

// Lower tells the store how many levels are left; the caller has the turn. The
// store is told only once that none is, however many levels ended together:
// those that come later get the same answer.
func (g *Grant) Lower(ctx context.Context) error {
	left := g.Alive()
	if left > 0 {
		return g.store.Release(ctx, left)
	}
	if !g.parted {
		g.parted = true
		g.parting = g.store.Release(ctx, 0)
	}
	return g.parting
}

func (g *Grant) say(e Event) {
	if g.emit != nil {
		e.Name = g.Name
		g.emit(e)
	}
}
