package grant

import "time"

// believe moves the validity by an answered request; an answer to an older
// request than the newest answered one changes nothing.
func (g *Grant) believe(sent, until time.Time, lease time.Duration) {
	if sent.Before(g.sent) {
		return
	}
	g.sent, g.stored, g.fails, g.cut = sent, until, 0, false
	g.until = sooner(g.stored, g.bound)
	g.renewAt = time.Time{}
	if lease == 0 {
		return
	}
	g.mayLast(lease)
	if !g.policy.Leased && g.nextLease(sent) > 0 {
		g.renewAt = sent.Add(RenewIn(lease))
	}
}

// nextLease is what a renewal at now would ask for: the lease, or what is left
// of a maximum hold; 0 when that would not lengthen what the store has.
func (g *Grant) nextLease(now time.Time) time.Duration {
	switch {
	case g.bound.IsZero():
		return g.policy.Lease
	case !g.until.Before(g.bound):
		return 0
	}
	return min(g.policy.Lease, LeaseFor(g.bound.Sub(now)))
}

// Renewed is an answered renewal that was sent at sent.
func (g *Grant) Renewed(sent, until time.Time, lease time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); g.state >= lost {
		return
	}
	g.believe(sent, until, lease)
	if g.state == atRisk {
		g.state = held
		g.say(Event{Kind: EventSafe, Until: Wall(g.until)})
	}
	g.schedule()
}

// Shorten lets validity end at until at the latest: said before the store is
// asked for a shorter lease, which it may grant without our hearing of it.
func (g *Grant) Shorten(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.Before(g.until) {
		g.until = until
		g.schedule()
	}
}

// Bound moves the holder's own bound: the lease of a hold whose store knows
// none.
func (g *Grant) Bound(end time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); g.state >= lost {
		return
	}
	g.bound = end
	g.until = sooner(g.stored, g.bound)
	g.schedule()
}

// NotRenewed is a renewal without a good answer. Validity stays where it is.
func (g *Grant) NotRenewed(silent bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); g.state >= lost {
		return
	}
	g.fails++
	if g.cut = silent; silent {
		g.mayLast(g.policy.Lease)
	}
	if g.policy.Lease > 0 {
		g.renewAt = Now().Add(RetryIn(g.policy.Lease, g.fails))
	}
	if g.state == held {
		g.state = atRisk
		g.say(Event{Kind: EventAtRisk, Until: Wall(g.until), Err: err})
	}
	g.schedule()
}

// dueForRenewal reports whether a renewal is wanted by then, and takes it: the
// next one waits for Renewed or NotRenewed.
func (g *Grant) dueForRenewal(now, by time.Time) (time.Duration, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.check(now)
	defer g.schedule()
	if g.state >= lost || g.renewAt.IsZero() || g.renewAt.After(by) {
		return 0, false
	}
	g.renewAt = time.Time{}
	d := g.nextLease(now)
	return d, d > 0
}
