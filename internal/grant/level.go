package grant

import (
	"errors"
	"time"
)

// errReleased ends a level whose user let go of it.
var errReleased = errors.New("released")

// Level is one level of a grant: what a Hold shows. Levels form a tree, one
// child of a level at a time.
type Level struct {
	Grant   *Grant
	parent  *Level
	depth   int
	shared  bool          // beside other holders of its kind
	leased  bool          // by a WithLease of its own
	lease   time.Duration // that one
	bounded time.Duration // of an inner level: how long it may last
	done    chan struct{}

	// Under the grant's lock.
	bound    time.Time // end of its own; zero: the grant's
	err      error     // nil while held
	said     bool      // its user has released it, whatever the store did
	ctxErr   error     // contexts end with this
	contexts map[*carried]struct{}
	under    int   // levels alive in its tree, itself among them
	taken    Count // by the trees below its children, by what each child is
	seats    []*Seat
}

// Open adds a level below parent, nil for the outermost. It fails when the
// grant or the parent has ended meanwhile.
func (g *Grant) Open(parent *Level, o Options) (*Level, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := Sent() // the grant has just been judged exactly
	g.check(now)
	switch {
	case parent != nil && parent.err != nil:
		return nil, parent.ended()
	case g.state >= lost:
		return nil, g.why
	}
	l := &Level{Grant: g, parent: parent, depth: 1, done: make(chan struct{}), leased: o.Leased, lease: o.Lease, shared: o.Shared}
	if parent != nil {
		l.depth = parent.depth + 1
		switch {
		case o.Leased:
			l.bound, l.bounded = now.Add(o.Lease), o.Lease
		case o.Bounded:
			l.bound, l.bounded = now.Add(o.MaxHold), o.MaxHold
		}
	}
	g.levels[l] = struct{}{}
	g.alive = g.alive.and(l.shared)
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
	g.alive.drop(l.shared)
	close(l.done)
	l.cancel(l.ended())
	l.wakeSeats()
	for p := l; p != nil; p = p.parent {
		if p.under--; p.under == 0 && p.parent != nil {
			p.parent.free(p.shared)
		}
	}
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
