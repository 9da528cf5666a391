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
Looks at the store, and changes nothing. Without --layout it recognises the layout by what is there.

On ZooKeeper it shows all contenders in their order: the holder, and who waits. Each has its node's name,
the session that the node ends with, the address that its maker left, the zxid of its creation (fence),
and its age by the clocks of the servers and of this machine. A node without a session, or of one that
the servers do not know (their command "dump" lists those they do), ends with nobody: it is for
holdfast force-release once it is first.

In the JSON, fields are null where the store does not know; lease_ms is what is left of the lease, null
when it has none. since and until are RFC 3339; session is as ZooKeeper prints it, 0x0 for none.

Exit code: 0, also when nobody holds the lock. 122: the store could not be reached, or something else is
stored under that name. 125: usage.`
}

// answerWithin is how long a person waits for a look.
const answerWithin = 5 * time.Second

// Run is called by kong.
func (c *inspectCmd) Run(o *output) error {
	return c.briefly(func(ctx context.Context, system string, s store) error {
		got, err := c.look(ctx, system, s)
		if err != nil {
			return err
		}
		v := view{recipe: c.Recipe, Status: got.Status, now: time.Now()}
		if v.details, err = s.details(ctx, got.kind, got.Status); err != nil {
			return err
		}
		return v.print(o.out, c.JSON)
	})
}

// briefly runs f on an open store, for as long as a person waits.
func (c *server) briefly(f func(ctx context.Context, system string, s store) error) error {
	ctx, stop := interruptible()
	defer stop()
	limited, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	t, err := c.target()
	if err != nil {
		return err
	}
	s, err := c.store(t, survival{})
	if err != nil {
		return err
	}
	defer func() { _ = s.close(limited) }()
	err = s.open(limited)
	if err == nil {
		err = f(limited, t.system, s)
	}
	return interrupted(ctx, err)
}

// found is a lock as it stands, and who can act on it.
type found struct {
	recipes.Status
	kind kind
	recipes.Inspector
}

// look finds the lock. Without a layout the one that fits what is stored is
// taken, and of two that share a form the fenced one, which shows more.
func (f *lockFlags) look(ctx context.Context, system string, s store) (found, error) {
	fitting, err := f.fitting(system)
	if err != nil {
		return found{}, err
	}
	slices.SortStableFunc(fitting, func(a, b kind) int { return fencedFirst(a) - fencedFirst(b) })
	var first error
	for _, k := range fitting {
		who, ok := s.lock(k, f.Name, nil).(recipes.Inspector)
		if !ok {
			return found{}, &exit{exitUsage, fmt.Errorf("a %s cannot be inspected", f.Recipe)}
		}
		got, err := who.Inspect(ctx)
		// A lock on one node looks at that alone: it may seem free although the one
		// before has seen that the path is taken.
		if err == nil && (first == nil || len(got.Holders) > 0) {
			return found{withoutEmptyFences(got), k, who}, nil
		}
		if first == nil {
			first = err
		}
		if err != nil && !errors.Is(err, recipes.ErrConflict) {
			break
		}
	}
	return found{}, first
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
