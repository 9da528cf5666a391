package grant

import (
	"context"
	"errors"
	"time"
)

// errReleased ends a level whose user let go of it.
var errReleased = errors.New("released")

// Level is one level of a grant: what a Hold shows. Levels form a tree, one
// child of a level at a time.
type Level struct {
	Grant  *Grant
	parent *Level
	depth  int
	leased bool          // by a WithLease of its own
	lease  time.Duration // that one
	done   chan struct{}

	// Under the grant's lock.
	bound    time.Time // end of its own; zero: the grant's
	err      error     // nil while held
	said     bool      // its user has released it, whatever the store did
	ctxErr   error     // contexts end with this
	contexts map[*carried]struct{}
	under    int // levels alive in its tree, itself among them
	taken    bool
	seats    []*Seat
}

type carried struct {
	cancel context.CancelCauseFunc
	stop   func() bool
}

// Open adds a level below parent, nil for the outermost. It fails when the
// grant or the parent has ended meanwhile.
func (g *Grant) Open(parent *Level, o Options) (*Level, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := Now()
	if g.check(now); g.state >= lost {
		return nil, g.why
	}
	l := &Level{Grant: g, parent: parent, depth: 1, done: make(chan struct{}), leased: o.Leased, lease: o.Lease}
	if parent != nil {
		if parent.err != nil {
			return nil, parent.ended()
		}
		l.depth = parent.depth + 1
		switch {
		case o.Leased:
			l.bound = now.Add(o.Lease)
		case o.Bounded:
			l.bound = now.Add(o.MaxHold)
		}
	}
	g.levels[l] = struct{}{}
	g.alive++
	for p := l; p != nil; p = p.parent {
		p.under++
	}
	g.schedule()
	return l, nil
}

// end is the one way a level ends: Err first, then Done, then its contexts.
func (g *Grant) end(l *Level, why error) {
	if l.err != nil {
		return
	}
	l.err = why
	delete(g.levels, l)
	g.alive--
	close(l.done)
	l.cancel(l.ended())
	l.wakeSeats()
	for p := l; p != nil; p = p.parent {
		if p.under--; p.under == 0 && p.parent != nil {
			p.parent.free()
		}
	}
}

func (l *Level) cancel(why error) {
	if l.ctxErr == nil {
		l.ctxErr = why
	}
	for c := range l.contexts {
		c.stop()
		c.cancel(l.ctxErr)
	}
	l.contexts = nil
}

// ended is why the level is over, as its user sees it.
func (l *Level) ended() error {
	if errors.Is(l.err, errReleased) {
		return &Fault{Verb: "hold", Name: l.Grant.Name, Kind: ErrNotHeld, Detail: "released"}
	}
	return l.err
}

// Err is nil while the level is held by the clock of now.
func (l *Level) Err() error {
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	l.Grant.check(Now())
	if l.err == nil {
		return nil
	}
	return l.ended()
}

// Over is closed at loss or release.
func (l *Level) Over() <-chan struct{} { return l.done }

// Depth is 1 for the outermost level.
func (l *Level) Depth() int { return l.depth }

// ValidUntil is the end of the level as it stands, in wall time; zero: none
// known.
func (l *Level) ValidUntil() time.Time {
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	return Wall(sooner(l.Grant.until, l.bound))
}

// Context is ctx, ending with the level too, and carrying it.
func (l *Level) Context(ctx context.Context) context.Context {
	child, cancel := context.WithCancelCause(context.WithValue(ctx, l.Grant.ID, l))
	g := l.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); l.ctxErr != nil {
		cancel(l.ctxErr)
		return child
	}
	c := &carried{cancel: cancel}
	// A long hold must not collect a cancel function for every context that has
	// ended before it.
	c.stop = context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(l.contexts, c)
	})
	if l.contexts == nil {
		l.contexts = make(map[*carried]struct{}, 1)
	}
	l.contexts[c] = struct{}{}
	return child
}

// Carried is the level of the lock id that ctx carries: nil when there is none
// or its user has released it, an error when it was lost.
func Carried(ctx context.Context, id ID) (*Level, error) {
	l, _ := ctx.Value(id).(*Level)
	if l == nil {
		return nil, nil
	}
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	l.Grant.check(Now())
	switch {
	case l.err == nil:
		return l, nil
	case errors.Is(l.err, errReleased):
		return nil, nil
	}
	return nil, l.err
}

// Undo ends a level that its caller never got to see. It returns how many are
// left alive, which the store still has to hear of.
func (l *Level) Undo() int {
	g := l.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	l.said = true
	g.end(l, errReleased)
	if g.alive == 0 && g.state < lost {
		g.state = released
	}
	g.schedule()
	return g.alive
}

// Release ends the level, then lets the store know. budget bounds the wait for
// the store: ctx's cancellation does not count, its deadline does when it is
// still ahead.
func (l *Level) Release(ctx context.Context, budget time.Duration) error {
	g := l.Grant
	g.mu.Lock()
	g.check(Now())
	if l.err != nil {
		defer g.mu.Unlock()
		return g.late(l)
	}
	l.said = true
	g.end(l, errReleased)
	if g.alive == 0 {
		// From here on time must not turn a release into a loss.
		g.state = released
	}
	g.schedule()
	held := Now().Sub(g.since)
	g.mu.Unlock()

	bounded, cancel := ReleaseContext(ctx, budget)
	defer cancel()
	err := g.Turn(bounded)
	if err == nil {
		err = g.Lower(bounded)
		g.Done()
	} else {
		g.store.Settle(g, g.Alive())
		err = NewUnknown("release", g.Name, Wall(g.End()), err)
	}
	g.say(Event{Kind: releaseEvent(err), Held: held, Err: err})
	return err
}

func releaseEvent(err error) string {
	switch {
	case err == nil:
		return EventReleased
	case errors.Is(err, ErrLost):
		return EventLost
	}
	return EventUnknown
}

// late answers a release that comes after the end. Once every level of a lost
// grant is released its work has stopped, and what is left can go.
func (g *Grant) late(l *Level) error {
	if l.said {
		return &Fault{Verb: "release", Name: g.Name, Kind: ErrNotHeld, Detail: "released already"}
	}
	l.said = true
	if g.state == lost && errors.Is(l.err, g.why) {
		if g.unsaid--; g.unsaid == 0 {
			g.store.Discard()
		}
	}
	return l.err
}

// Extend asks the store whether the level is still held and sets its lease
// anew: d, or what it was made with when d is 0.
func (l *Level) Extend(ctx context.Context, d time.Duration, validity func(time.Duration) time.Duration) error {
	g := l.Grant
	fault := func(detail string) error {
		return &Fault{Verb: "extend", Name: g.Name, Kind: ErrInvalid, Detail: detail}
	}
	switch {
	case d != 0 && !l.leased:
		return fault("only a hold made with WithLease can be given a lease")
	case d != 0 && BadLease(d) != "":
		return fault("lease: " + BadLease(d))
	}
	if err := l.Err(); err != nil {
		return err
	}
	if err := g.Turn(ctx); err != nil {
		return &Fault{Verb: "extend", Name: g.Name, Kind: ErrUnavailable, Causes: []error{err}}
	}
	defer g.Done()
	if err := l.Err(); err != nil {
		return err
	}
	if l.leased && d == 0 {
		d = l.lease
	}
	lease := g.policy.Lease
	switch {
	case l.parent == nil && l.leased:
		lease = d
		g.Shorten(Now().Add(validity(d)))
	case g.policy.Leased:
		lease = 0 // a nested level bounds itself only
	}
	asked := Now()
	if err := g.store.Extend(ctx, lease); err != nil {
		return err
	}
	if l.parent != nil && l.leased {
		g.mu.Lock()
		l.bound = asked.Add(d)
		g.schedule()
		g.mu.Unlock()
	}
	return l.Err()
}

// ReleaseContext is the context of a release: it keeps ctx's values, not its
// cancellation, and ends with the budget, or with ctx's deadline if that is
// still ahead.
func ReleaseContext(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(budget)
	if d, ok := ctx.Deadline(); ok && d.After(time.Now()) && d.Before(end) {
		end = d
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
