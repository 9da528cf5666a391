package grant

import "slices"

// Seat is a place in the queue of those that want to be the child of one level:
// locks made with the same hold's context exclude each other. A level is taken
// from the moment a seat has its turn until the whole tree below the child that
// came of it has ended.
type Seat struct {
	parent *Level
	wake   chan<- struct{}
	mine   bool
}

// Seat queues up below l; wake is told when it is worth asking.
func (l *Level) Seat(wake chan<- struct{}) *Seat {
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	s := &Seat{parent: l, wake: wake}
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
	if g.check(Now()); s.parent.err != nil {
		return false, s.parent.ended()
	}
	return s.mine, nil
}

// Deeper is the number of levels that the store is to count with this seat's; the
// caller has the turn. It fails when the parent is over: with the last level the
// store may have let go, and a request for one level would take the lock anew.
func (s *Seat) Deeper() (int, error) {
	g := s.parent.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); s.parent.err != nil {
		return 0, s.parent.ended()
	}
	return g.alive + 1, nil
}

// Leave gives the seat up, or, when a child was opened, leaves the level to it.
func (s *Seat) Leave(opened bool) {
	l := s.parent
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	l.seats = slices.DeleteFunc(l.seats, func(other *Seat) bool { return other == s })
	if s.mine && !opened {
		l.free()
	}
}

func (l *Level) free() {
	l.taken = false
	l.next()
}

func (l *Level) next() {
	if l.taken || len(l.seats) == 0 {
		return
	}
	l.taken = true
	l.seats[0].mine = true
	Signal(l.seats[0].wake)
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
