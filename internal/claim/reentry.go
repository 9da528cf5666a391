package claim

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// behindSibling is the one mistake people make with re-entry: passing the outer
// context to two calls that run side by side.
const behindSibling = "behind a level taken with the same context"

// Reentry is the claim to go a level deeper in a grant that the caller's context
// carries.
type Reentry struct {
	parent *grant.Level
	seat   *grant.Seat
	wake   chan struct{}
	opts   grant.Options
	doubt  bool // the store may count a level that is not there
	level  *grant.Level
}

// NewReentry queues up below parent.
func NewReentry(parent *grant.Level, o grant.Options) *Reentry {
	r := &Reentry{parent: parent, wake: make(chan struct{}, 1), opts: o}
	r.seat = parent.Seat(r.wake, o.Shared)
	return r
}

// Ask goes a level deeper when no sibling is there.
func (r *Reentry) Ask(ctx context.Context) (*grant.Level, Busy, error) {
	mine, err := r.seat.Mine()
	if err != nil {
		return nil, Busy{}, err
	}
	if !mine {
		return nil, Busy{Wake: r.wake, After: time.Second, Why: behindSibling, Local: true}, nil
	}
	g := r.parent.Grant
	if err := g.Turn(ctx); err != nil {
		return nil, Busy{}, &Trouble{Err: err}
	}
	defer g.Done()
	levels, err := r.seat.Deeper()
	if err != nil {
		return nil, Busy{}, err
	}
	r.doubt = true
	if err := g.Store().Reenter(ctx, levels); err != nil {
		return nil, Busy{}, err
	}
	level, err := g.Open(r.parent, r.opts)
	if err != nil {
		return nil, Busy{}, err
	}
	r.doubt = false
	r.level = level
	r.seat.Leave(true)
	return level, Busy{}, nil
}

// Leave gives the seat up and takes back what the store may have counted.
func (r *Reentry) Leave() {
	if r.level != nil {
		r.level.Undo()
		r.doubt = true
	} else {
		r.seat.Leave(false)
	}
	if r.doubt {
		g := r.parent.Grant
		g.Store().Settle(g, g.Alive())
	}
}
