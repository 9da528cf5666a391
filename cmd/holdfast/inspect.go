package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

type inspectCmd struct {
	server
	lockFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Help is shown by holdfast inspect --help.
func (*inspectCmd) Help() string {
	return `
Reads the store once, and changes nothing. Without --layout it recognises the layout by what is there.

In the JSON, fields are null where the store does not know; lease_ms is what is left of the lease, null
when it has none. since and until are RFC 3339.

Exit code: 0, also when nobody holds the lock. 122: the store could not be reached, or something else is
stored under that name. 125: usage.`
}

// answerWithin is how long a person waits for a look.
const answerWithin = 5 * time.Second

// Run is called by kong.
func (c *inspectCmd) Run(o *output) error {
	return c.briefly(func(ctx context.Context, s *store) error {
		got, _, err := c.look(ctx, s)
		if err != nil {
			return interrupted(ctx, err)
		}
		return printStatus(o.out, c.Recipe, got, c.JSON)
	})
}

// briefly runs f on an open store, for as long as a person waits.
func (c *server) briefly(f func(context.Context, *store) error) error {
	ctx, stop := interruptible()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	s, err := c.open(c.Redis)
	if err != nil {
		return err
	}
	defer func() { _ = s.close(ctx) }()
	return f(ctx, s)
}

// look is the lock as it stands, and who can act on it. Without a layout the
// one that fits what is stored is taken, and of two that share a form the
// fenced one, which shows more.
func (f *lockFlags) look(ctx context.Context, s *store) (recipes.Status, recipes.Inspector, error) {
	fitting, err := f.fitting()
	if err != nil {
		return recipes.Status{}, nil, err
	}
	slices.SortStableFunc(fitting, func(a, b kind) int { return fencedFirst(a) - fencedFirst(b) })
	var first error
	for _, k := range fitting {
		who, ok := k.redis(s.redis, f.Name).(recipes.Inspector)
		if !ok {
			return recipes.Status{}, nil, &exit{exitUsage, fmt.Errorf("a %s cannot be inspected", f.Recipe)}
		}
		got, err := who.Inspect(ctx)
		if err == nil {
			return withoutEmptyFences(got), who, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, recipes.ErrConflict) {
			break
		}
	}
	return recipes.Status{}, nil, first
}

func fencedFirst(k kind) int {
	if k.fenced {
		return 0
	}
	return 1
}

// withoutEmptyFences: no token is 0, so that is a lock without a counter.
func withoutEmptyFences(s recipes.Status) recipes.Status {
	for i := range s.Holders {
		s.Holders[i].HasFence = s.Holders[i].HasFence && s.Holders[i].Fence != 0
	}
	return s
}

type forceCmd struct {
	server
	lockFlags
	Owner string `required:"" placeholder:"ID" help:"Owner of the hold, as holdfast inspect shows it."`
}

// Help is shown by holdfast force-release --help.
func (*forceCmd) Help() string {
	return `
The holder is not asked, and finds out at its next renewal; what it still writes until then only a fencing
token stops. The token counter is raised if there is one. Nothing happens when that owner does not hold
the lock (any more), so nobody else can lose it by mistake.

Exit code: 0: released. 1: that owner does not hold the lock. 122: the store could not be reached, or
something else is stored under that name. 125: usage.`
}

// Run is called by kong.
func (c *forceCmd) Run(o *output) error {
	return c.briefly(func(ctx context.Context, s *store) error {
		_, who, err := c.look(ctx, s)
		if err == nil {
			err = who.ForceRelease(ctx, recipes.Holder{ID: c.Owner})
		}
		switch {
		case errors.Is(err, recipes.ErrNotHeld):
			return &exit{exitFailed, err}
		case err != nil:
			return interrupted(ctx, err)
		}
		fmt.Fprintf(o.out, "%s: released, was held by %s\n", c.Name, c.Owner)
		return nil
	})
}
