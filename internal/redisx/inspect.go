package redisx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// Inspect is recipes.Inspector.Inspect for a lock with one holder.
func (l *Lock) Inspect(ctx context.Context) (recipes.Status, error) {
	a, err := l.look(ctx, "inspect", call{script: l.Recipe.Inspect, keys: l.keys("")})
	if err != nil {
		return recipes.Status{}, err
	}
	if a.code == -2 {
		return recipes.Status{}, &grant.Fault{
			Verb: "inspect", Name: l.Name, Kind: grant.ErrConflict,
			Detail: "the key holds " + describe(a.text(0)),
		}
	}
	s := recipes.Status{Name: l.Name, Limit: 1}
	ttl := time.Duration(a.int(0)) * time.Millisecond
	for i := 2; i+1 < len(a.rest); i += 2 {
		h := recipes.Holder{ID: a.text(i), Kind: l.Recipe.Kind, Count: int(a.int(i + 1)), TTL: ttl}
		if l.Fenced {
			h.Fence, h.HasFence = a.int(1), true
		}
		s.Holders = append(s.Holders, h)
	}
	if len(s.Holders) == 0 {
		s.Free = 1
	}
	return s, nil
}

// ForceRelease is recipes.Inspector.ForceRelease.
func (l *Lock) ForceRelease(ctx context.Context, h recipes.Holder) error {
	const verb = "force release"
	if h.ID == "" {
		return &grant.Fault{Verb: verb, Name: l.Name, Kind: grant.ErrInvalid, Detail: "the holder has no ID"}
	}
	if err := l.ready(ctx); err != nil {
		return l.named(verb, err)
	}
	whole := &Lock{Core: l.Core, Recipe: l.Recipe, Fenced: l.Recipe.Token != "", key: l.key}
	a, err := l.look(ctx, verb, call{
		script: l.Recipe.Force, keys: whole.keys(""), args: []any{h.ID, l.Core.publishing()},
	})
	if err == nil && a.code == 0 && !a.unsure {
		err = &grant.Fault{Verb: verb, Name: l.Name, Kind: grant.ErrNotHeld, Detail: fmt.Sprintf("%q does not hold it", h.ID)}
	}
	return err
}

// look is a request that is made on behalf of a person: repeated over passing
// trouble until ctx ends or the store has been silent for a third of a lease.
func (l *Lock) look(ctx context.Context, verb string, x call) (answer, error) {
	if err := l.ready(ctx); err != nil {
		return answer{}, l.named(verb, err)
	}
	ctx, cancel := context.WithTimeout(ctx, l.Core.set.WatchdogLease/3)
	defer cancel()
	unsure := false
	for n := 1; ; n++ {
		trial := l.Core.try(ctx)
		a, err := l.Core.run(trial, x, 0)
		trial.Stop()
		var trouble *claim.Trouble
		if err == nil || !errors.As(err, &trouble) {
			a.unsure = unsure
			return a, l.named(verb, err)
		}
		unsure = unsure || maybeDone(err)
		select {
		case <-ctx.Done():
			return answer{}, l.named(verb, err)
		case <-l.Core.Closing:
			return answer{}, &grant.Fault{Verb: verb, Name: l.Name, Kind: grant.ErrClosed}
		case <-time.After(grant.RetryIn(l.Core.set.WatchdogLease, n)):
		}
	}
}

// named puts the verb and the lock's name to an error from below.
func (l *Lock) named(verb string, err error) error { return core.Named(verb, l.Name, err) }
