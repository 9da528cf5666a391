package zkx

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// single is one Lock call where one node is the lock: whoever makes it holds.
// All losers watch it, one for each process, and try again when it goes, a herd
// by construction.
type single struct {
	lock *Lock
	opts grant.Options
	once bool
	wake chan struct{}

	line   *claim.Line
	place  *claim.Place
	ticket *ticket
	ear    *ear
	losses int
	hold   *holding
	level  *grant.Level
}

func newSingle(l *Lock, o grant.Options, once bool) *single {
	return &single{lock: l, opts: o, once: once, line: l.Core.Line(l.id()), wake: make(chan struct{}, 1)}
}

// Ask is one step; see claim.Claim.
func (s *single) Ask(ctx context.Context) (*grant.Level, claim.Busy, error) {
	if !s.once {
		if s.place == nil {
			s.place = s.line.Join(nil, s.wake)
		}
		if ask, _, after := s.place.Turn(); !ask {
			return nil, claim.Busy{Wake: s.wake, After: after, Local: true}, nil
		}
	}
	e, err := s.lock.Core.await(ctx)
	if err != nil {
		return nil, claim.Busy{}, err
	}
	if s.ticket != nil && s.ticket.epoch != e {
		s.drop()
	}
	if s.ear != nil {
		if s.ear.heard() == 0 && !s.lock.missing(ctx, e) {
			return nil, s.busy(), nil
		}
		// Whoever heard it tries now: not all at once.
		s.ear.leave()
		s.ear = nil
		s.losses++
		return nil, claim.Busy{After: herdPause(s.losses), Local: true}, nil
	}
	if s.ticket == nil {
		s.ticket = s.lock.draw(e)
	}
	return s.arrive(ctx)
}

// missing looks whether the node has gone without a word; trouble is no.
func (l *Lock) missing(ctx context.Context, e *epoch) bool {
	ctx, cancel := l.Core.try(ctx)
	defer cancel()
	_, err := e.one(ctx, zkcore.Op{Kind: zkcore.Get, Path: join(l.dir, l.Recipe.Single)})
	return zkcore.NoNode.Is(err)
}

func (s *single) arrive(ctx context.Context) (*grant.Level, claim.Busy, error) {
	if err := s.ticket.wait(ctx); err != nil {
		return nil, claim.Busy{}, err
	}
	t := s.ticket
	switch {
	case t.err != nil:
		s.drop()
		return nil, claim.Busy{}, troubled(t.err)
	case !t.busy:
		return s.granted()
	}
	s.drop()
	if s.once {
		return nil, claim.Busy{}, nil
	}
	limited, cancel := s.lock.Core.try(ctx)
	defer cancel()
	ear, err := t.epoch.listen(limited, join(s.lock.dir, s.lock.Recipe.Single), s.wake)
	switch {
	case err == nil:
		s.ear = ear
		return nil, s.busy(), nil
	case zkcore.NoNode.Is(err):
		s.losses++
		return nil, claim.Busy{After: herdPause(s.losses)}, nil
	case answered(err):
		return nil, claim.Busy{}, refused("read the node", err)
	case ctx.Err() != nil: // its time is over, and the store has said no
		return nil, s.busy(), nil
	}
	return nil, claim.Busy{}, &claim.Trouble{Err: err}
}

func (s *single) busy() claim.Busy { return claim.Busy{Wake: s.wake, After: silence} }

// drop gives a ticket up.
func (s *single) drop() {
	if s.ticket != nil {
		s.ticket.leave()
	}
	if s.ear != nil {
		s.ear.leave()
	}
	s.ticket, s.ear = nil, nil
}

// herdPause is how long a loser that was woken waits before it tries: a random
// time that grows with the times it has lost, since those are as many as there
// are losers.
func herdPause(losses int) time.Duration {
	most := min(time.Millisecond<<min(losses, 10), 64*time.Millisecond)
	return 100*time.Microsecond + time.Duration(rand.Int64N(int64(most)))
}

func (s *single) granted() (*grant.Level, claim.Busy, error) {
	if s.place != nil {
		s.place.Granted()
	} else {
		s.line.Hold()
	}
	line := s.line
	h := &holding{lock: s.lock, place: s.ticket.place, after: func() {
		line.Gone()
		s.lock.Core.LeaveLine(s.lock.id())
	}}
	level, err := s.lock.grant(h, s.opts, s.ticket.guid)
	if err != nil {
		s.line, s.place = s.lock.Core.Line(s.lock.id()), nil // for another round
		h.gone()
		return nil, claim.Busy{}, err
	}
	s.hold, s.level = h, level
	return level, claim.Busy{}, nil
}

// Leave lets go of everything; see claim.Claim.
func (s *single) Leave() {
	ticket := s.ticket
	s.ticket = nil
	s.drop()
	if s.hold != nil {
		s.level.Undo()
		s.hold.gone()
	} else {
		if s.place != nil {
			s.place.Leave()
		}
		s.lock.Core.LeaveLine(s.lock.id())
	}
	if ticket != nil {
		ticket.leave()
	}
}
