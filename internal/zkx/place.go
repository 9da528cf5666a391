package zkx

import (
	"sync"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// place is a node of ours in a line, from the answer that made it to the one
// that took it away. A claim of the same session that stands right behind waits
// for it here, without a watch; and when the place was held, its release is that
// claim's grant, without a list: the release's flight looks that its node is there.
type place struct {
	epoch *epoch
	path  string
	guid  string
	czxid int64
	doubt bool // a create has gone without an answer: there may be another
	sure  bool // of a read side: its create was answered; of whoever has the grant's turn

	mu     sync.Mutex
	wake   func() // its own claim's, while it waits
	leaves bool   // its hold has let go of it
	gone   bool
	behind map[*follower]struct{}
}

// follower is a claim behind a place of its own session.
type follower struct {
	of     *place
	own    string // path of its own node
	wake   chan<- struct{}
	passed bool // of held and was released, and the own node was there
}

// take registers a node of ours; false when the epoch is over, and the node
// with it.
func (e *epoch) take(p *place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return false
	}
	e.places[p.path] = p
	return true
}

// follow waits behind the node at path if it is one of ours.
func (e *epoch) follow(path, own string, wake chan<- struct{}) *follower {
	e.mu.Lock()
	p := e.places[path]
	e.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil
	}
	f := &follower{of: p, own: own, wake: wake}
	if p.behind == nil {
		p.behind = make(map[*follower]struct{}, 1)
	}
	p.behind[f] = struct{}{}
	return f
}

func (f *follower) leave() {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	delete(f.of.behind, f)
}

// end says how it stands with the place in front: gone, and if so, whether it
// was passed on by a holder.
func (f *follower) end() (gone, passed bool) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	return f.of.gone, f.passed
}

// heirs are the claims that would hold once the place is released.
func (p *place) heirs() (out []*follower) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for f := range p.behind {
		out = append(out, f)
	}
	return out
}

// leave is the end of a place. heirs: it was held and its release has been
// answered, and their nodes were there, so these hold now. A claim that has only
// left passes its place on, not the grant.
func (p *place) leave(heirs ...*follower) {
	p.epoch.mu.Lock()
	if p.epoch.places[p.path] == p {
		delete(p.epoch.places, p.path)
	}
	p.epoch.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return
	}
	p.gone = true
	for _, f := range heirs {
		f.passed = true
	}
	for f := range p.behind {
		grant.Signal(f.wake)
	}
}

// wakeAll lets every waiting claim look again.
func (e *epoch) wakeAll() {
	e.mu.Lock()
	places := make([]*place, 0, len(e.places))
	for _, p := range e.places {
		places = append(places, p)
	}
	e.mu.Unlock()
	for _, p := range places {
		p.awake()
	}
}

// onWake sets who is told to look again.
func (p *place) onWake(wake func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake = wake
}

func (p *place) awake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wake != nil {
		p.wake()
	}
}

// parting notes that its end will be our own doing.
func (p *place) parting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaves = true
}

func (p *place) isParting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaves
}
