package zkx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

// Inspect is recipes.Inspector.Inspect for a lock with one holder.
func (l *Lock) Inspect(ctx context.Context) (recipes.Status, error) {
	const verb = "inspect"
	s := recipes.Status{Name: l.Path, Limit: 1, QueueStored: l.Recipe.Single == ""}
	nodes, err := l.contenders(ctx, verb)
	if err != nil {
		return recipes.Status{}, err
	}
	holders := l.Recipe.holders(nodes)
	for i, n := range nodes {
		if i < holders {
			s.Holders = append(s.Holders, recipes.Holder{
				ID: n.id, Kind: l.Recipe.kind(n.infix), Since: n.Created, Fence: n.Czxid, HasFence: true,
			})
			continue
		}
		s.Waiters = append(s.Waiters, recipes.Waiter{ID: n.id, Kind: l.Recipe.kind(n.infix), Since: n.Created})
	}
	if len(s.Holders) == 0 {
		s.Free = 1
	}
	return s, nil
}

// standing is a contender as Inspect sees it.
type standing struct {
	id string // as Owner shows it
	node
	zkcore.Stat
}

// contenders are the nodes of the line in order.
func (l *Lock) contenders(ctx context.Context, verb string) ([]standing, error) {
	if l.Recipe.Single != "" {
		out, err := l.ask(ctx, verb, l.abreast(),
			zkcore.Op{Kind: zkcore.Get, Path: join(l.dir, l.Recipe.Single)},
			zkcore.Op{Kind: zkcore.List, Path: l.dir})
		if err == nil {
			err = l.named(verb, beside(out[2].Children))
		}
		if err != nil || zkcore.NoNode.Is(out[1].Err) {
			return nil, err
		}
		return []standing{{id: string(out[1].Data), node: node{name: l.Recipe.Single}, Stat: out[1].Stat}}, nil
	}
	out, err := l.ask(ctx, verb, l.abreast(), zkcore.Op{Kind: zkcore.List, Path: l.dir})
	if err != nil {
		return nil, err
	}
	var line []node
	for _, name := range out[1].Children {
		infix, key, ok := l.Recipe.Naming.Parse(name)
		switch {
		case ok && l.Recipe.belongs(infix):
			line = append(line, node{name: name, infix: infix, key: key})
		case l.Recipe.foreignKind(name):
			return nil, &grant.Fault{
				Verb: verb, Name: l.Path, Kind: grant.ErrConflict,
				Detail: fmt.Sprintf("the path is in use by another kind of lock: %q", name),
			}
		}
	}
	slices.SortFunc(line, inLine)
	return l.stats(ctx, verb, line)
}

// abreast goes in front of a read that must see what others have been told
// already: a follower may lag behind, and show a holder that holds no more.
func (l *Lock) abreast() zkcore.Op { return zkcore.Op{Kind: zkcore.Sync, Path: l.dir} }

// mostInFlight bounds the reads of one flight.
const mostInFlight = 128

// stats reads the nodes; those that have gone meanwhile are left out.
func (l *Lock) stats(ctx context.Context, verb string, line []node) ([]standing, error) {
	var all []standing
	for chunk := range slices.Chunk(line, mostInFlight) {
		ops := make([]zkcore.Op, 0, len(chunk))
		for _, n := range chunk {
			ops = append(ops, zkcore.Op{Kind: zkcore.Get, Path: join(l.dir, n.name)})
		}
		out, err := l.ask(ctx, verb, ops...)
		if err != nil {
			return nil, err
		}
		for i, r := range out {
			if r.Err != nil {
				continue
			}
			s := standing{id: chunk[i].name, node: chunk[i], Stat: r.Stat}
			if l.Recipe.Naming.InData() {
				s.id = string(r.Data)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// ask is a request made on behalf of a person: repeated over passing trouble
// until ctx ends or a third of the session's time-out is over. Of the answers
// only "not there" is no error.
func (l *Lock) ask(ctx context.Context, verb string, ops ...zkcore.Op) ([]zkcore.Result, error) {
	if bad := badPath(l.Path, l.dir); bad != "" {
		return nil, &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrInvalid, Detail: bad}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.Core.timeout()/3, errNoAnswer)
	defer cancel()
	for n := 1; ; n++ {
		if l.Core.IsClosing() {
			return nil, &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrClosed}
		}
		e, err := l.Core.await(ctx)
		var out []zkcore.Result
		if err == nil {
			out, err = e.do(ctx, ops...)
		}
		if err == nil {
			return out, l.named(verb, firstRefusal(ops[0], out))
		}
		var fault *grant.Fault
		if errors.As(err, &fault) || l.Core.rest(ctx, n) {
			return nil, l.named(verb, err)
		}
	}
}

func firstRefusal(op zkcore.Op, out []zkcore.Result) error {
	to := "read it"
	if op.Kind == zkcore.Set {
		to = "write to the node"
	}
	for _, r := range out {
		if r.Err != nil && !zkcore.NoNode.Is(r.Err) {
			return refused(to, r.Err)
		}
	}
	return nil
}

// named puts the verb and the lock's path to an error from below.
func (l *Lock) named(verb string, err error) error { return core.Named(verb, l.Path, err) }

// ForceRelease is recipes.Inspector.ForceRelease: it deletes the holder's node.
func (l *Lock) ForceRelease(ctx context.Context, h recipes.Holder) error {
	const verb = "force release"
	ctx, cancel := context.WithTimeoutCause(ctx, l.Core.timeout()/3, errNoAnswer)
	defer cancel()
	path, err := l.nodeOf(ctx, verb, h)
	if err != nil {
		return err
	}
	unsure := false
	for n := 1; ; n++ {
		out, err := l.once(ctx, verb, zkcore.Op{Kind: zkcore.Delete, Path: path, Version: zkcore.AnyVersion})
		switch {
		case err == nil && out.Err == nil, zkcore.NoNode.Is(out.Err) && unsure:
			return nil
		case zkcore.NoNode.Is(out.Err):
			return l.notHeld(verb, h)
		case out.Err != nil && answered(out.Err):
			return l.named(verb, refused("delete the node", out.Err))
		}
		unsure = unsure || maybeDone(err)
		if l.Core.IsClosing() {
			return &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrClosed}
		}
		if l.Core.rest(ctx, n) {
			return l.named(verb, err)
		}
	}
}

// once asks one thing one time.
func (l *Lock) once(ctx context.Context, verb string, op zkcore.Op) (zkcore.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.Core.attemptLimit(), errNoAnswer)
	defer cancel()
	e, err := l.Core.await(ctx)
	if err != nil {
		return zkcore.Result{}, l.named(verb, err)
	}
	out, err := e.do(ctx, op)
	return out[0], err
}

func (l *Lock) notHeld(verb string, h recipes.Holder) error {
	return &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrNotHeld, Detail: fmt.Sprintf("%q does not hold it", h.ID)}
}

// nodeOf is the node of a holder that still holds: the same name, and the same
// creation where the caller knows it.
func (l *Lock) nodeOf(ctx context.Context, verb string, h recipes.Holder) (string, error) {
	if h.ID == "" || strings.ContainsRune(h.ID, '/') {
		return "", &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrInvalid, Detail: "the holder has no ID"}
	}
	nodes, err := l.contenders(ctx, verb)
	if err != nil {
		return "", err
	}
	for _, n := range nodes[:l.Recipe.holders(nodes)] {
		if n.id == h.ID && (!h.HasFence || n.Czxid == h.Fence) {
			return join(l.dir, n.name), nil
		}
	}
	return "", l.notHeld(verb, h)
}

// RequestRevoke asks a holder to let go, with Curator's message.
func (l *Lock) RequestRevoke(ctx context.Context, h recipes.Holder) error {
	const verb = "request revoke of"
	if l.Recipe.Single != "" {
		return &grant.Fault{Verb: verb, Name: l.Path, Kind: grant.ErrInvalid, Detail: "a single node has no room for the request"}
	}
	path, err := l.nodeOf(ctx, verb, h)
	if err != nil {
		return err
	}
	out, err := l.ask(ctx, verb, zkcore.Op{Kind: zkcore.Set, Path: path, Data: []byte(revokeMessage), Version: zkcore.AnyVersion})
	if err == nil && zkcore.NoNode.Is(out[0].Err) {
		return l.notHeld(verb, h)
	}
	return err
}
