package core

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// Call is one Lock or TryLock call, as far as it is the same on every store.
type Call struct {
	Verb string
	Try  bool
	// Shared: the read side.
	Shared bool
	Name   string // as the user wrote it
	Bad    string // what is wrong with it, or empty
	ID     grant.ID
	// Claim is the call's entry at the lock. It sends nothing before it asks.
	Claim func(o grant.Options, once bool) claim.Claim
	// Env is what the loop must know of the core.
	Env func(o grant.Options) claim.Env
}

// Take runs a call to its end. Bad input and a closed client are refused before
// anything is sent; a context from a hold of this lock re-enters.
func (l *Life) Take(ctx context.Context, x Call, opts []recipes.LockOption) (*grant.Level, error) {
	o := grant.Options{Shared: x.Shared}
	for _, opt := range opts {
		opt(&o)
	}
	invalid := &grant.Fault{Verb: x.Verb, Name: x.Name, Kind: grant.ErrInvalid, Detail: x.Bad}
	if invalid.Detail == "" {
		invalid.Detail = o.Check(x.Try)
	}
	if invalid.Detail != "" {
		return nil, invalid
	}
	if !l.Enter() {
		return nil, &grant.Fault{Verb: x.Verb, Name: x.Name, Kind: grant.ErrClosed}
	}
	defer l.Exit()
	parent, err := grant.Carried(ctx, x.ID)
	if err != nil {
		return nil, err
	}
	var step claim.Claim
	if parent != nil {
		step = claim.NewReentry(parent, o)
	} else {
		step = x.Claim(o, x.Try || o.HasWait && o.Wait <= 0)
	}
	return claim.Run(ctx, x.Env(o), step, o, x.Try)
}
