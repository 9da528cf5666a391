package grant

import "slices"

// Seat is a place in the queue of those that want to be the child of one level:
// locks made with the same hold's context exclude each other. A level is taken
// from the moment a seat has its turn until the whole tree below the child that
// came of it has ended. Shared children do not exclude each other.
type Seat struct {
	parent *Level
	shared bool
	wake   chan<- struct{}
	mine   bool
}

// Seat queues up below l; wake is told when it is worth asking.
func (l *Level) Seat(wake chan<- struct{}, shared bool) *Seat {
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	s := &Seat{parent: l, shared: shared, wake: wake}
	l.seats = append(l.seats, s)
	l.next()
	return s
}

// Mine reports whether this seat may go a level deeper now; the error is why
// the parent is over.
func (s *Seat) Mine() (bool, error) {
	g := s.parent.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := s.barred(); err != nil {
		return false, err
	}
	return s.mine, nil
}

// barred is why the seat will never have its turn.
func (s *Seat) barred() error {
	g := s.parent.Grant
	if g.check(Now()); s.parent.err != nil {
		return s.parent.ended()
	}
	if !s.shared && g.alive.Exclusive == 0 {
		return &Fault{Kind: ErrWouldDeadlock, Detail: "a reader cannot become the writer"}
	}
	return nil
}

// Deeper are the levels that the store is to count with this seat's; the caller
// has the turn. It fails when the parent is over: with the last level the store
// may have let go, and a request for one level would take the lock anew. And it
// fails for an exclusive level in a grant that shares: it would wait for itself.
func (s *Seat) Deeper() (Count, error) {
	g := s.parent.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := s.barred(); err != nil {
		return Count{}, err
	}
	return g.alive.and(s.shared), nil
}

// Leave gives the seat up, or, when a child was opened, leaves the level to it.
func (s *Seat) Leave(opened bool) {
	l := s.parent
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	l.seats = slices.DeleteFunc(l.seats, func(other *Seat) bool { return other == s })
	if s.mine && !opened {
		l.free(s.shared)
	}
}

func (l *Level) free(shared bool) {
	l.taken.drop(shared)
	l.next()
}

// next lets the first seats in that may go: one, or all that share up to the
// next that does not.
func (l *Level) next() {
	for _, s := range l.seats {
		if s.mine {
			continue
		}
		if l.taken.Exclusive > 0 || !s.shared && l.taken.Shared > 0 {
			return
		}
		l.taken = l.taken.and(s.shared)
		s.mine = true
		Signal(s.wake)
	}
}

func (l *Level) wakeSeats() {
	for _, s := range l.seats {
		Signal(s.wake)
	}
}

// Signal tells a one-slot channel that it is worth looking, and never blocks.
func Signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
