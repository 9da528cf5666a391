package zkx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

// Recipe is all that makes a recipe on ZooKeeper that recipe.
type Recipe struct {
	Name   string // the package's
	Family string // recipes that share data and re-entry share it
	Kind   string // of its holders, in Inspect

	Naming  Naming
	Infix   string   // of our own nodes
	Infixes []string // of all that stand in the same line
	Rule    Rule
	// Reads is the infix of the read side, where there is one, and Shared says
	// that this is it.
	Reads  string
	Shared bool
	Kinds  map[string]string // of holders by infix, in Inspect; else Kind

	// Single: no line, but one node of this name, whose data is the holder's
	// GUID.
	Single string
}

// Lock is one lock of a recipe: the value behind a Go constructor.
type Lock struct {
	Core   *Core
	Recipe *Recipe
	Path   string // as the user wrote it
	// OnRevoke is told when somebody asks the holder to let go; nil: nobody is.
	OnRevoke func(*recipes.Hold)
	dir      string
}

// NewLock makes a lock; nothing is validated or sent before its first use.
func NewLock(c *Core, r *Recipe, path string) *Lock {
	return &Lock{Core: c, Recipe: r, Path: path, dir: c.set.Namespace + path}
}

func (l *Lock) id() grant.ID { return grant.ID{Core: l.Core, Name: l.dir, Family: l.Recipe.Family} }

// Take runs one Lock or TryLock call.
func (l *Lock) Take(ctx context.Context, verb string, try bool, opts []recipes.LockOption) (*recipes.Hold, error) {
	level, err := l.Core.Take(ctx, core.Call{
		Verb: verb, Try: try, Shared: l.Recipe.Shared, Name: l.Path, Bad: badPath(l.Path, l.dir), ID: l.id(),
		Claim: func(o grant.Options, once bool) claim.Claim {
			if l.Recipe.Single != "" {
				return newSingle(l, o, once)
			}
			return newQueued(l, o, once)
		},
		Env: func(grant.Options) claim.Env { return l.Core.env(verb, l) },
	}, opts)
	if err != nil {
		return nil, err
	}
	return l.show(level), nil
}

func (l *Lock) show(level *grant.Level) *recipes.Hold {
	return grant.NewHold(level, l.Core.set.ReleaseBudget, validity).(*recipes.Hold)
}

// grant makes the grant of h's node, and its first level.
func (l *Lock) grant(h *holding, o grant.Options, owner string) (*grant.Level, error) {
	e := h.place.epoch
	sent, until := e.belief()
	now := grant.Now()
	var policy grant.Policy
	switch {
	case o.Leased:
		policy.End = now.Add(validity(o.Lease))
		h.freeAt = now.Add(o.Lease)
	case o.Bounded:
		policy.End = now.Add(o.MaxHold)
		h.freeAt = now.Add(grant.LeaseFor(o.MaxHold))
	}
	h.grant = grant.New(grant.Start{
		ID: l.id(), Name: l.Path, Owner: owner, Fence: h.place.czxid, Fenced: true,
		Store: h, Keeper: &l.Core.Keeper, Policy: policy, Emit: l.Core.Emitter(l.Recipe.Name),
		Sent: sent, Until: until,
	})
	switch {
	case !l.Core.Keep(h.grant):
		return nil, &grant.Fault{Kind: grant.ErrClosed}
	case !now.Before(until), !e.hold(h.grant):
		return nil, &claim.Trouble{Err: zkcore.ErrSessionOver}
	}
	level, err := h.grant.Open(nil, o)
	if err != nil {
		return nil, &claim.Trouble{Err: err}
	}
	h.level = level
	h.watchOwn(h.place)
	return level, nil
}

// silence is when a waiter looks whether its own node and the one in front are
// still there: a node can be deleted by hand, a watch be lost.
const silence = time.Second
