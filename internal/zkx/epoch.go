package zkx

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// epoch is one session, from its first answer to its end. Grants, nodes and
// watches belong to one epoch and end with it; the next one inherits nothing.
//
// The session is the lease of all its grants. It is believed in as long as the
// last request that a quorum has answered allows: a server that is cut off from
// the others goes on answering reads and pings when the session is long gone.
type epoch struct {
	core    *Core
	session zkcore.Session
	link    *link
	timeout time.Duration
	over    chan struct{}

	mu      sync.Mutex
	ended   bool
	acked   time.Time // when the newest request that a quorum answered was sent
	cut     bool
	grants  map[*grant.Grant]struct{}
	places  map[string]*place
	watches map[string]*watch
	asking  chan struct{} // one for each flight on its way, heartbeats apart
}

func newEpoch(c *Core, s zkcore.Session, l *link) *epoch {
	return &epoch{
		core: c, session: s, link: l, timeout: s.Timeout(), over: make(chan struct{}),
		grants: make(map[*grant.Grant]struct{}), places: make(map[string]*place),
		watches: make(map[string]*watch), asking: make(chan struct{}, mostFlights),
	}
}

// do sends ops in one flight; see zkcore.Session.
func (e *epoch) do(ctx context.Context, ops ...zkcore.Op) ([]zkcore.Result, error) {
	if err := e.room(ctx, ops); err != nil {
		return unsent(len(ops), err)
	}
	defer e.leaveRoom(ops)
	e.core.quiet.Asked(time.Now())
	sent := grant.Sent()
	out, err := e.session.Do(ctx, ops...)
	for i, r := range out {
		if answered(r.Err) {
			e.core.quiet.Answered()
		}
		if byQuorum(ops[i].Kind, r.Err) {
			e.ack(sent)
		}
	}
	return out, err
}

// byQuorum reports whether an answer has been through the leader and its quorum,
// a refusal too. Reads never are, nor are the errors that one server makes up by
// itself.
func byQuorum(k zkcore.Kind, err error) bool {
	switch k {
	case zkcore.Create, zkcore.Delete, zkcore.Set, zkcore.Check:
	default:
		return false
	}
	if err == nil {
		return true
	}
	for _, code := range [...]zkcore.Code{
		zkcore.NoNode, zkcore.NoAuth, zkcore.BadVersion, zkcore.NoChildren, zkcore.NodeExists, zkcore.NotEmpty,
	} {
		if code.Is(err) {
			return true
		}
	}
	return false
}

// one is do for one op.
func (e *epoch) one(ctx context.Context, op zkcore.Op) (zkcore.Result, error) {
	out, err := e.do(ctx, op)
	if err == nil {
		err = out[0].Err
	}
	return out[0], err
}

func (e *epoch) ack(sent time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if sent.After(e.acked) {
		e.acked = sent
	}
}

// belief is when the newest answered request was sent, and how long that lets
// the session be believed in.
func (e *epoch) belief() (sent, until time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.acked, e.acked.Add(sessionValidity(e.timeout, e.core.set.ClockRate))
}

func (e *epoch) held() []*grant.Grant {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]*grant.Grant, 0, len(e.grants))
	for g := range e.grants {
		out = append(out, g)
	}
	return out
}

func (e *epoch) isCut() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cut
}

// end is the end of the epoch, by the server's word or by our clock. All that was held in it is lost, all that
// waits starts anew in the next one. The connection is dropped, the session is
// not closed: that would free what may still be worked under.
func (e *epoch) end(why grant.Reason) {
	e.mu.Lock()
	e.ended = true
	places, watches := e.places, e.watches
	e.places, e.watches = nil, nil
	close(e.over)
	e.mu.Unlock()
	for _, g := range e.held() {
		g.Lose(why)
	}
	if why != grant.Closed {
		_ = e.session.Close(false)
	}
	for _, w := range watches {
		w.wake()
	}
	for _, p := range places {
		p.awake()
	}
	if why != grant.Closed {
		e.core.log.Warn("session lost", "session", e.session.ID())
	}
}

// hold registers a grant; false when the epoch is over.
func (e *epoch) hold(g *grant.Grant) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return false
	}
	e.grants[g] = struct{}{}
	return true
}

func (e *epoch) drop(g *grant.Grant) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.grants, g)
}

func (e *epoch) isOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}
