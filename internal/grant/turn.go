package grant

import "context"

// Turn waits for the other calls of this grant on the store; give it back with
// Done.
func (g *Grant) Turn(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case g.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done gives the turn back.
func (g *Grant) Done() { <-g.turn }

// Lower tells the store how many levels are left; the caller has the turn. The
// store is told only once that none is, however many levels ended together:
// those that come later get the same answer.
func (g *Grant) Lower(ctx context.Context) error {
	left := g.Alive()
	if left.Total() > 0 {
		return g.store.Release(ctx, left)
	}
	if !g.parted {
		g.parted = true
		g.parting = g.store.Release(ctx, Count{})
	}
	return g.parting
}
