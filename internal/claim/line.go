package claim

import (
	"slices"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Line is the waiters of one process for one lock, first come first served.
// Only those ask the store that could be granted together; the others wait for
// them here, without a trip.
type Line struct {
	// Together reports whether next may be granted beside what is held here.
	// Nil: never, as in a mutex.
	Together func(next any) bool

	mu      sync.Mutex
	places  []*Place
	held    int // local holds, those of tries among them
	row     int // hand-overs since the lock last came from the store
	rowFrom time.Time
	pause   *pause // set by the release that ended a row
}

// pause holds the line back after a row of hand-overs, so that a waiter of
// another process can be first.
type pause struct {
	until time.Time // not before this
	heard func() bool
	limit time.Time // heard or not
}

// Place is one claim's place in a line.
type Place struct {
	line *Line
	wake chan struct{}
	kind any
	at   spot
	heir any // what a hand-over brought, until the claim takes it
}

type spot int

const (
	waiting  spot = iota
	asking        // a request of its own is on the way: no heir
	inherits      // a hand-over to it is on the way
	gone
)

// Join goes to the end of the line. wake has one slot.
func (l *Line) Join(kind any, wake chan struct{}) *Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &Place{line: l, wake: wake, kind: kind}
	l.places = append(l.places, p)
	return p
}

// Turn reports whether p may ask the store now; then it is asking until
// Refused, Granted or Leave. If not, after is when to look again without a
// signal; front says that nobody of this line is before p.
func (p *Place) Turn() (ask, front bool, after time.Duration) {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	front = len(l.places) > 0 && l.places[0] == p
	switch {
	case p.at != waiting && p.at != asking:
		return false, front, time.Second
	case !front || !l.room(p.kind):
		return false, front, time.Second
	}
	if l.pause != nil {
		now := time.Now()
		switch {
		case now.Before(l.pause.until):
			return false, front, l.pause.until.Sub(now)
		case !l.pause.heard() && now.Before(l.pause.limit):
			return false, front, l.pause.limit.Sub(now)
		}
		l.pause = nil
	}
	p.at = asking
	return true, front, 0
}

func (l *Line) room(kind any) bool {
	return l.held == 0 || l.Together != nil && l.Together(kind)
}

// Take is Turn and Granted in one step, for a lock that no store can refuse.
func (p *Place) Take() bool {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.at != waiting || l.places[0] != p || !l.room(p.kind) {
		return false
	}
	l.remove(p)
	l.held++
	return true
}

// TryTake is Take without a place.
func (l *Line) TryTake(kind any) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.room(kind) {
		return false
	}
	l.held++
	return true
}

// Refused is the store's no: p goes on waiting, at the front.
func (p *Place) Refused() {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	if p.at == asking {
		p.at = waiting
	}
}

// Granted takes p out of the line and counts its hold. Where holds can be
// together the next one may ask right away.
func (p *Place) Granted() {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(p)
	l.begin()
	if l.Together != nil {
		l.wakeFront()
	}
}

// Leave takes p out without a hold. It reports whether a hand-over to p is on
// the way, whose effect must then be undone.
func (p *Place) Leave() (spoken bool) {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	spoken = p.at == inherits
	l.remove(p)
	l.wakeFront()
	return spoken
}

func (l *Line) remove(p *Place) {
	p.at = gone
	l.places = slices.DeleteFunc(l.places, func(other *Place) bool { return other == p })
}

func (l *Line) wakeFront() {
	if len(l.places) > 0 && l.room(l.places[0].kind) {
		grant.Signal(l.places[0].wake)
	}
}

// Hold counts a hold that did not come through the line: a try's.
func (l *Line) Hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin()
}

// begin counts a hold that came from the store.
func (l *Line) begin() {
	l.held++
	l.row, l.rowFrom = 0, time.Now()
}

// Gone is the end of a local hold: the next one may ask.
func (l *Line) Gone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held--
	l.wakeFront()
}

// Heir is the place that a hand-over by a local holder would go to, nil when
// there is none or the row has been long enough: most hand-overs, or longest
// from its first hold. The place is then spoken for until Inherit or Pass.
func (l *Line) Heir(most int, longest time.Duration) *Place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != 1 || len(l.places) == 0 || l.row >= most || time.Since(l.rowFrom) >= longest {
		return nil
	}
	p := l.places[0]
	if p.at != waiting {
		return nil
	}
	p.at = inherits
	return p
}

// Inherit ends a hand-over that was done: the hold is p's now. It reports false
// when p has left meanwhile; its claim undoes the grant then.
func (p *Place) Inherit(bequest any) bool {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held--
	if p.at != inherits {
		l.wakeFront()
		return false
	}
	l.remove(p)
	l.held++
	l.row++
	p.heir = bequest
	grant.Signal(p.wake)
	return true
}

// Pass ends a hand-over that came to nothing: p waits again and may ask.
func (p *Place) Pass() {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held--
	if p.at == inherits {
		p.at = waiting
	}
	l.wakeFront()
}

// Kind is what the place was joined with.
func (p *Place) Kind() any { return p.kind }

// Bequest takes what a hand-over brought to p, once.
func (p *Place) Bequest() any {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	b := p.heir
	p.heir = nil
	return b
}

// EndRow is told by a release that was not a hand-over although one had been
// before: the line stands back until heard says that the release's message has
// come back, at least least and at most most.
func (l *Line) EndRow(least, most time.Duration, heard func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.row == 0 || len(l.places) == 0 {
		return
	}
	now := time.Now()
	l.pause = &pause{until: now.Add(least), limit: now.Add(most), heard: heard}
}

// InRow reports whether hand-overs have been made since the lock last came from
// the store.
func (l *Line) InRow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.row > 0
}
