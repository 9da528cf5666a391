package redisx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// Recipe is all that makes a recipe on Redis that recipe. Its scripts share one
// convention. KEYS: the lock, the mark of an undone owner, the channel, and
// where the lock has a fence, its counter. ARGV as each script's header says.
type Recipe struct {
	Name    string // the package's
	Family  string // recipes that share data and re-entry share it
	Channel string // prefix of the channel's name
	Token   string // prefix of the fence counter's name
	Kind    string // of its holders, in Inspect

	Acquire  *Script // owner, lease, levels -> 1 fence | 0 ttl | -1 undone | -2 type of what is there
	Release  *Script // owner, levels left, how to publish, mark -> 1 hearers | 2 | 0 not ours
	Handover *Script // owner, heir, lease, how to publish -> 1 fence | 2 hearers | 0 not ours
	Renew    *Script // lease, owner of each key -> 1 or 0 for each key
	Inspect  *Script // -> pairs of owner and count, ttl, fence
	Force    *Script // owner, how to publish -> 1 hearers | 0

	// Levels: the store counts them; else they are counted here alone.
	Levels bool
	// Poll is the longest wait without a signal.
	Poll time.Duration
	// Deaf: peers of this layout wait without a subscription, so nothing tells
	// whether one waits.
	Deaf bool
}

// Lock is one lock of a recipe: the value behind a Go constructor.
type Lock struct {
	Core   *Core
	Recipe *Recipe
	Name   string // as the user wrote it
	Fenced bool
	key    string
}

// NewLock makes a lock; nothing is validated or sent before its first use.
func NewLock(c *Core, r *Recipe, name string, fenced bool) *Lock {
	return &Lock{Core: c, Recipe: r, Name: name, Fenced: fenced, key: c.set.Namespace + name}
}

func (l *Lock) id() grant.ID { return grant.ID{Core: l.Core, Name: l.key, Family: l.Recipe.Family} }

func (l *Lock) channel() string { return prefixed(l.Recipe.Channel, l.key) }

// undone is the mark at which a late acquire of owner turns away.
func (l *Lock) undone(owner string) string { return suffixed(l.key, owner+":undone") }

func (l *Lock) keys(owner string) []string {
	keys := []string{l.key, l.undone(owner), l.channel()}
	if l.Fenced {
		keys = append(keys, prefixed(l.Recipe.Token, l.key))
	}
	return keys
}

// ready checks the name, and in a cluster its slots, before anything is sent
// for it.
func (l *Lock) ready(ctx context.Context) error {
	if bad := badName(l.Name, l.key); bad != "" {
		return &grant.Fault{Kind: grant.ErrInvalid, Detail: bad}
	}
	s, err := l.Core.shape(ctx)
	if err != nil {
		return err
	}
	if s.Cluster {
		if bad := badSlots(l.key, l.keys("")[1:]...); bad != "" {
			return &grant.Fault{Kind: grant.ErrInvalid, Detail: bad}
		}
	}
	return nil
}

// Take runs one Lock or TryLock call.
func (l *Lock) Take(ctx context.Context, verb string, try bool, opts []recipes.LockOption) (*recipes.Hold, error) {
	level, err := l.Core.Take(ctx, core.Call{
		Verb: verb, Try: try, Name: l.Name, Bad: badName(l.Name, l.key), ID: l.id(),
		Claim: func(o grant.Options, once bool) claim.Claim { return newClaim(l, o, l.policy(o), once) },
		Env:   func(o grant.Options) claim.Env { return l.Core.env(verb, l, l.policy(o).Lease) },
	}, opts)
	if err != nil {
		return nil, err
	}
	return grant.NewHold(level, l.Core.set.ReleaseBudget, l.Core.validity).(*recipes.Hold), nil
}

// policy is how a grant of these options is kept. The end of a maximum hold
// counts from the grant and is set there.
func (l *Lock) policy(o grant.Options) grant.Policy {
	switch {
	case o.Leased:
		return grant.Policy{Lease: o.Lease, Leased: true}
	case o.Bounded:
		return grant.Policy{Lease: min(l.Core.set.WatchdogLease, grant.LeaseFor(o.MaxHold).Truncate(time.Millisecond))}
	}
	return grant.Policy{Lease: l.Core.set.WatchdogLease}
}

// validity is how long a lease may be believed in, from the instant before it
// was asked for.
func (c *Core) validity(lease time.Duration) time.Duration {
	return grant.Validity(lease, c.trips.slow(), c.set.ClockRate)
}
