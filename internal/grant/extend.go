package grant

import (
	"context"
	"time"
)

// Extend asks the store whether the level is still held and sets its lease
// anew: d, or what it was made with when d is 0.
func (l *Level) Extend(ctx context.Context, d time.Duration, validity func(time.Duration) time.Duration) error {
	g := l.Grant
	fault := func(detail string) error {
		return &Fault{Verb: "extend", Name: g.Name, Kind: ErrInvalid, Detail: detail}
	}
	switch {
	case d != 0 && !l.leased:
		return fault("only a hold made with WithLease can be given a lease")
	case d != 0 && BadLease(d) != "":
		return fault("lease: " + BadLease(d))
	}
	if err := l.Err(); err != nil {
		return err
	}
	if err := g.Turn(ctx); err != nil {
		return &Fault{Verb: "extend", Name: g.Name, Kind: ErrUnavailable, Causes: []error{err}}
	}
	defer g.Done()
	if err := l.Err(); err != nil {
		return err
	}
	if l.leased && d == 0 {
		d = l.lease
	}
	lease := g.policy.Lease
	switch {
	case l.parent == nil && l.leased:
		lease = d
		g.Shorten(Now().Add(validity(d)))
	case g.policy.Leased:
		lease = 0 // a nested level bounds itself only
	}
	asked := Now()
	if err := g.store.Extend(ctx, lease); err != nil {
		return err
	}
	if l.parent != nil && l.leased {
		g.mu.Lock()
		l.bound = asked.Add(d)
		g.schedule()
		g.mu.Unlock()
	}
	return l.Err()
}
