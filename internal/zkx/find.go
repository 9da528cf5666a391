package zkx

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/zkcore"
)

// find looks for what an unanswered create may have made. The server that
// answers must have seen everything before, hence the sync.
func (t *ticket) find() (unsure, again bool) {
	if t.lock.Recipe.Single != "" {
		return t.findSingle()
	}
	out, err := t.epoch.do(context.Background(),
		zkcore.Op{Kind: zkcore.Sync, Path: t.lock.dir},
		zkcore.Op{Kind: zkcore.List, Path: t.lock.dir})
	switch {
	case errors.Is(err, zkcore.ErrSessionOver):
		t.err = err
		return false, false
	case err != nil:
		return true, true
	case zkcore.NoNode.Is(out[1].Err):
		return false, true
	case out[1].Err != nil:
		t.err = refused("list its directory", out[1].Err)
		return false, false
	}
	for _, name := range out[1].Children {
		if !t.lock.Recipe.Naming.Mine(name, t.lock.Recipe.Infix, t.guid) {
			continue
		}
		path := join(t.lock.dir, name)
		got, err := t.epoch.one(context.Background(), zkcore.Op{Kind: zkcore.Get, Path: path})
		switch {
		case zkcore.NoNode.Is(err): // deleted by somebody
			return false, true
		case err != nil && !answered(err):
			return true, true
		case err != nil:
			t.err = refused("read its node", err)
			return false, false
		case t.lock.Recipe.Naming.InData() && (string(got.Data) != t.guid || got.Stat.Owner != t.epoch.session.ID()):
			continue // of the same host, and another's
		}
		t.made(path, got.Stat.Czxid)
		t.children = out[1].Children
		return false, false
	}
	return false, true
}

// findSingle is find where the name has no room for the GUID.
func (t *ticket) findSingle() (unsure, again bool) {
	path := join(t.lock.dir, t.lock.Recipe.Single)
	out, err := t.epoch.do(context.Background(),
		zkcore.Op{Kind: zkcore.Sync, Path: path}, zkcore.Op{Kind: zkcore.Get, Path: path})
	switch {
	case errors.Is(err, zkcore.ErrSessionOver):
		t.err = err
		return false, false
	case err != nil:
		return true, true
	case zkcore.NoNode.Is(out[1].Err):
		return false, true
	case out[1].Err != nil:
		t.err = refused("read its node", out[1].Err)
		return false, false
	case string(out[1].Data) == t.guid && out[1].Stat.Owner == t.epoch.session.ID():
		t.made(path, out[1].Stat.Czxid)
	default:
		t.busy = true
	}
	return false, false
}

// stray is how long a request of a connection that was cut may still be on its
// way to the server.
const stray = 200 * time.Millisecond

// lookBack looks once more for what a request on a connection that was cut may
// have made after the first look, when nobody waits for it any more.
func (t *ticket) lookBack() {
	if !t.doubt {
		return
	}
	timer := time.NewTimer(stray)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.epoch.over:
		return
	}
	for n, unsure := 0, true; unsure; n++ {
		if unsure, _ = t.find(); unsure && t.epoch.rest(n) {
			return
		}
	}
}
