package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdfast-go/holdfast/recipes"
)

// ownerFlag says which hold, so that what is done to it cannot hit the next one.
type ownerFlag struct {
	Owner string `required:"" placeholder:"ID" help:"Owner of the hold, as holdfast inspect shows it."`
}

type forceCmd struct {
	server
	lockFlags
	ownerFlag
}

// Help is shown by holdfast force-release --help.
func (*forceCmd) Help() string {
	return `
The holder is not asked, and finds out later: on Redis at its next renewal, on ZooKeeper at once if it
listens. What it still writes until then only a fencing token stops. On Redis the token counter is raised
if there is one. Nothing happens when that owner does not hold the lock (any more), so nobody else can
lose it by mistake.

Exit code: 0: released. 1: that owner does not hold the lock. 122: the store could not be reached, or
something else is stored under that name. 125: usage.`
}

// Run is called by kong.
func (c *forceCmd) Run(o *output) error {
	return c.briefly(func(ctx context.Context, system string, s store) error {
		it, err := c.look(ctx, system, s)
		if err == nil {
			err = it.ForceRelease(ctx, recipes.Holder{ID: c.Owner})
		}
		if err = noHolder(err); err != nil {
			return err
		}
		fmt.Fprintf(o.out, "%s: released, was held by %s\n", c.Name, c.Owner)
		return nil
	})
}

type revokeCmd struct {
	server
	lockFlags
	ownerFlag
}

// Help is shown by holdfast revoke --help.
func (*revokeCmd) Help() string {
	return `
ZooKeeper only. Asks the holder to let go, with the message of Curator's Revoker. A holder that listens
(holdfast run --revocable, mutex.OnRevoke, or Curator's makeRevocable) hears it and lets go when it can;
to others nothing happens. This command does not wait for that: holdfast inspect shows what came of it.

Exit code: 0: asked. 1: that owner does not hold the lock. 122: the store could not be reached, or
something else is stored under that name. 125: usage, also on Redis and with --layout single-node, where
nobody can be asked.`
}

// revoker is a lock whose holders can be asked to let go.
type revoker interface {
	RequestRevoke(ctx context.Context, h recipes.Holder) error
}

// Run is called by kong.
func (c *revokeCmd) Run(o *output) error {
	return c.briefly(func(ctx context.Context, system string, s store) error {
		fitting, err := c.fitting(system)
		if err != nil {
			return err
		}
		who, ok := s.lock(fitting[0], c.Name, nil).(revoker)
		if !ok || !fitting[0].revocable {
			return &exit{exitUsage, fmt.Errorf("holders of a %s of layout %s cannot be asked", c.Recipe, fitting[0].layout)}
		}
		if err := noHolder(who.RequestRevoke(ctx, recipes.Holder{ID: c.Owner})); err != nil {
			return err
		}
		fmt.Fprintf(o.out, "%s: asked %s to let go\n", c.Name, c.Owner)
		return nil
	})
}

// noHolder gives the right exit code to an owner that holds nothing.
func noHolder(err error) error {
	if errors.Is(err, recipes.ErrNotHeld) {
		return &exit{exitFailed, err}
	}
	return err
}
