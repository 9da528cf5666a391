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
	// Reenter makes the store count these levels.
	Reenter(ctx context.Context, want Count) error
	// Release makes the store count the levels left; none lets go.
	Release(ctx context.Context, left Count) error
	// Extend asks whether the grant is still ours and sets its lease anew; with
	// a lease of 0 it only asks.
	Extend(ctx context.Context, lease time.Duration) error
	// Lost is told once, when the grant is over without a release. It must not
	// block and must leave the store alone: the margin before expiry is the
	// holder's time to stop.
	Lost()
	// Discard takes what a lost grant may have left out of the store, behind.
	Discard()
	// Settle brings the store's count down to the levels left now, or to what is
	// alive when it gets there, behind. It must not block.
	Settle(g *Grant, left Count)
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

	mu       sync.Mutex
	state    state
	since    time.Time
	sent     time.Time // of the newest answered acquire or renewal
	stored   time.Time // the store keeps it for us until then; zero: no end
	bound    time.Time // the holder's own bound; zero: none
	until    time.Time // believed in until then, the sooner of the two
	ttlEnd   time.Time // the store keeps it at most until then
	renewAt  time.Time // zero: not now
	fails    int
	cut      bool // the last renewals got no answer
	levels   map[*Level]struct{}
	alive    Count       // levels neither released nor lost
	unsaid   int         // levels that were lost, or the last to end by time, and not released yet
	settling *time.Timer // until the store hears that the last level is over
	why      error

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
		since: Sent(), bound: s.Policy.End, slot: -1,
	}
	g.mu.Lock()
	g.believe(s.Sent, s.Until, s.Policy.Lease)
	g.mu.Unlock()
	return g
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
		case g.policy.Leased, !g.bound.IsZero() && !now.Before(g.bound):
			why = LeaseOver
		case g.cut:
			why = Disconnected
		}
		g.lose(why)
		return
	}
	var longest time.Duration // of the levels that end
	ended := 0
	for l := range g.levels {
		if !l.bound.IsZero() && !now.Before(l.bound) {
			g.end(l, NewLost(g.Name, LeaseOver, Wall(now)))
			longest = max(longest, l.bounded, MinLease)
			ended++
		}
	}
	switch {
	case longest == 0:
	case g.alive.Total() > 0:
		g.store.Settle(g, g.alive)
	default:
		// The last one: its holder gets the time to stop that a lease of the
		// outermost level has in its margin.
		g.state, g.unsaid = released, ended
		g.settling = time.AfterFunc(Margin(longest, 0), func() { g.store.Settle(g, Count{}) })
	}
}

func (g *Grant) lose(why Reason) {
	g.state = lost
	g.why = NewLost(g.Name, why, time.Now())
	g.unsaid = g.alive.Total()
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

// End is how long the grant is believed in; zero: no end known.
func (g *Grant) End() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.until
}

// MayLast notes that the store may keep the grant for lease from now on: a
// request for that was sent and its answer, if any, said nothing else.
func (g *Grant) MayLast(lease time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mayLast(lease)
}

func (g *Grant) mayLast(lease time.Duration) {
	if end := Sent().Add(lease); end.After(g.ttlEnd) {
		g.ttlEnd = end
	}
}

// StoredFor is how much longer the store keeps the grant at most if nothing
// more is sent for it and its clock runs.
func (g *Grant) StoredFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(g.ttlEnd.Sub(Now()), g.policy.Lease/10)
}

// Alive are the levels that are neither released nor lost.
func (g *Grant) Alive() Count {
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

func (g *Grant) say(e Event) {
	if g.emit != nil {
		e.Name = g.Name
		g.emit(e)
	}
}
