package grant

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/internal/limit"
)

// Undo ends a level that its caller never got to see. The store still has to
// hear of it.
func (l *Level) Undo() {
	g := l.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	l.said = true
	g.end(l, errReleased)
	if g.alive.Total() == 0 && g.state < lost {
		g.state = released
	}
	g.schedule()
}

// Release ends the level, then lets the store know. budget bounds the wait for
// the store: ctx's cancellation does not count, its deadline does when it is
// still ahead.
func (l *Level) Release(ctx context.Context, budget time.Duration) error {
	g := l.Grant
	g.mu.Lock()
	g.check(Sent()) // if a suspend has ended it this very moment, the store says so
	if l.err != nil {
		defer g.mu.Unlock()
		return g.late(l)
	}
	l.said = true
	g.end(l, errReleased)
	if g.alive.Total() == 0 {
		// From here on time must not turn a release into a loss.
		g.state = released
	}
	g.schedule()
	held := Sent().Sub(g.since)
	g.mu.Unlock()

	bounded := ReleaseContext(ctx, budget)
	defer bounded.Stop()
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

// late answers a release that comes after the end. Once every level that has
// ended by itself is released its work has stopped, and what is left can go.
func (g *Grant) late(l *Level) error {
	if l.said {
		return &Fault{Verb: "release", Name: g.Name, Kind: ErrNotHeld, Detail: "released already"}
	}
	l.said = true
	over := false
	if g.state == lost && errors.Is(l.err, g.why) || g.settling != nil {
		g.unsaid--
		over = g.unsaid == 0
	}
	switch {
	case !over:
	case g.state == lost:
		g.store.Discard()
	case g.settling.Stop():
		g.store.Settle(g, Count{})
	}
	return l.err
}

// ReleaseContext is the context of a release: it keeps ctx's values, not its
// cancellation, and ends with the budget, or with ctx's deadline if that is
// still ahead.
func ReleaseContext(ctx context.Context, budget time.Duration) *limit.Context {
	if end, ok := ctx.Deadline(); ok {
		if left := time.Until(end); left > 0 {
			budget = min(budget, left)
		}
	}
	return limit.New(context.WithoutCancel(ctx), budget)
}
