package zkx

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// ticket is a request for a node of ours. It goes on behind the call that wants
// it, in one epoch, until its outcome is known: a create whose answer was lost
// is looked for by its GUID. When the call has left, the node is taken away.
type ticket struct {
	lock  *Lock
	epoch *epoch
	guid  string
	done  chan struct{}

	doubt bool // a create has gone without an answer

	mu       sync.Mutex
	left     bool // its caller wants it no more
	finished bool

	// Set when done is closed.
	place    *place
	children []string // as the list right behind the create has shown them
	busy     bool     // of a single node: somebody else's is there
	err      error
}

// draw asks for a place at the end of the line.
func (l *Lock) draw(e *epoch) *ticket {
	t := &ticket{lock: l, epoch: e, guid: grant.NewUUID(), done: make(chan struct{})}
	l.Core.Later(func(context.Context) {
		defer close(t.done)
		t.run()
		t.mu.Lock()
		t.finished = true
		left := t.left
		t.mu.Unlock()
		if left {
			t.takeAway()
		}
	})
	return t
}

// leave gives the ticket up, whatever becomes of it.
func (t *ticket) leave() {
	t.mu.Lock()
	t.left = true
	finished := t.finished
	t.mu.Unlock()
	if finished {
		t.takeAway()
	}
}

func (t *ticket) takeAway() {
	if t.place != nil {
		t.lock.remove(t.place)
	}
}

func (t *ticket) isLeft() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

var errLeft = errors.New("its caller has left")

// run repeats the create until its outcome is known.
func (t *ticket) run() {
	if e := t.epoch; e.isOver() {
		t.err = &zkcore.SendError{Err: zkcore.ErrSessionOver}
		return
	}
	for n, unsure := 0, false; ; n++ {
		again := false
		switch {
		case unsure:
			t.doubt = true
			unsure, again = t.find()
		case !t.isLeft():
			unsure, again = t.create()
		default:
			t.err = errLeft
			t.lookBack()
			return
		}
		if !again {
			return
		}
		if t.epoch.rest(n) {
			t.err = &zkcore.SendError{Err: zkcore.ErrSessionOver}
			return
		}
	}
}

// rest is a pause between repeats of one request; it reports whether the epoch
// has ended.
func (e *epoch) rest(n int) (over bool) {
	t := time.NewTimer(e.core.set.Retry.Pause(n))
	defer t.Stop()
	select {
	case <-t.C:
		return e.isOver()
	case <-e.over:
		return true
	}
}

// create is one attempt, with the list in the same flight. unsure says that it
// may have made the node, again that it is worth another attempt.
func (t *ticket) create() (unsure, again bool) {
	op := t.op()
	out, _ := t.epoch.do(context.Background(), op, zkcore.Op{Kind: zkcore.List, Path: t.lock.dir})
	made, listed := out[0], out[1]
	switch err := made.Err; {
	case err == nil:
		t.made(made.Path, made.Stat.Czxid)
		return false, t.list(listed)
	case maybeDone(err), zkcore.OperationTimeout.Is(err):
		return true, true
	case !answered(err), zkcore.SessionMoved.Is(err):
		t.err = err
		return false, !errors.Is(err, zkcore.ErrSessionOver)
	case zkcore.NoNode.Is(err):
		return false, t.dirs()
	case zkcore.NodeExists.Is(err) && t.lock.Recipe.Single != "":
		t.busy = true
		return false, false
	default:
		t.err = refused("create its node", err)
		return false, false
	}
}

// dirs makes the directory. It may vanish again before it has a child: then the
// next attempt makes it anew.
func (t *ticket) dirs() (again bool) {
	err := t.epoch.makeDirs(context.Background(), t.lock.dir)
	switch {
	case err == nil, zkcore.NoNode.Is(err), !answered(err):
		return true
	}
	t.err = refused("create its directory", err)
	return false
}

func (t *ticket) op() zkcore.Op {
	l := t.lock
	if name := l.Recipe.Single; name != "" {
		return zkcore.Op{
			Kind: zkcore.Create, Path: join(l.dir, name), Data: []byte(t.guid),
			Mode: zkcore.Ephemeral, ACL: l.Core.set.ACL,
		}
	}
	data := l.Recipe.Naming.Data(t.guid)
	if l.OnRevoke != nil {
		data = []byte{} // as Curator marks who can be asked to let go
	}
	return zkcore.Op{
		Kind: zkcore.Create, Path: join(l.dir, l.Recipe.Naming.Name(t.guid, l.Recipe.Infix)), Data: data,
		Mode: zkcore.EphemeralSequential, ACL: l.Core.set.ACL,
	}
}

// made notes our node.
func (t *ticket) made(path string, czxid int64) {
	t.place = &place{epoch: t.epoch, path: path, guid: t.guid, czxid: czxid, doubt: t.doubt}
	t.epoch.take(t.place)
}

// list takes what the directory holds, once our node is in it.
func (t *ticket) list(r zkcore.Result) (again bool) {
	if t.lock.Recipe.Single != "" {
		t.err = beside(r.Children)
		return false
	}
	for n := 0; ; n++ {
		switch {
		case r.Err == nil:
			t.children = r.Children
			return false
		case zkcore.NoNode.Is(r.Err): // and our node with it
			t.children = []string{}
			return false
		case answered(r.Err):
			t.err = refused("list its directory", r.Err)
			t.lock.remove(t.place)
			return false
		case t.isLeft():
			return false
		case t.epoch.rest(n):
			t.err = &zkcore.SendError{Err: zkcore.ErrSessionOver}
			return false
		}
		r, _ = t.epoch.one(context.Background(), zkcore.Op{Kind: zkcore.List, Path: t.lock.dir})
	}
}

// beside refuses a single node beside a line, whose contenders know nothing of
// it.
func beside(children []string) error {
	for _, name := range children {
		if _, _, ok := parse(name); ok {
			return &grant.Fault{
				Kind: grant.ErrConflict, Detail: fmt.Sprintf("the path is in use by another kind of lock: %q", name),
			}
		}
	}
	return nil
}

// refused is a server's no that asking again will not change.
func refused(to string, err error) error {
	f := &grant.Fault{Kind: grant.ErrUnavailable, Detail: fmt.Sprintf("the server does not let it %s", to), Causes: []error{err}}
	switch {
	case zkcore.InvalidACL.Is(err):
		f.Kind, f.Detail = grant.ErrInvalid, "the server refuses the access list"
	case zkcore.NoChildren.Is(err):
		f.Kind, f.Detail = grant.ErrConflict, "a node on its path is ephemeral"
	}
	return f
}
