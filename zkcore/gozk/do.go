package gozk

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"github.com/holdfast-go/holdfast/zkcore"
)

// request is one op on its way.
type request struct {
	op      zkcore.Op
	written chan struct{}
	done    chan struct{}
	result  zkcore.Result
}

// Do is zkcore.Session. The driver has no way to send without waiting for the
// answer, so each op but the last runs on a goroutine, and the next one starts
// when the one before is on the wire.
func (s *session) Do(ctx context.Context, ops ...zkcore.Op) ([]zkcore.Result, error) {
	out := make([]zkcore.Result, len(ops))
	reqs := make([]*request, len(ops))
	err := s.fly(ctx, ops, reqs)
	for i, r := range reqs {
		switch {
		case r == nil:
			out[i].Err = &zkcore.SendError{Err: err}
			continue
		case err == nil:
			err = s.wait(ctx, r.done)
		}
		select {
		case <-r.done:
			out[i] = r.result
		default:
			out[i].Err = &zkcore.SendError{Sent: true, Err: err}
		}
	}
	for i := range out {
		var unanswered *zkcore.SendError
		if errors.As(out[i].Err, &unanswered) {
			return out, unanswered
		}
	}
	return out, nil
}

// fly starts the ops one behind the other.
func (s *session) fly(ctx context.Context, ops []zkcore.Op, reqs []*request) error {
	for i, op := range ops {
		if err := s.ready(ctx); err != nil {
			return err
		}
		r := &request{op: op, written: make(chan struct{}), done: make(chan struct{})}
		reqs[i] = r
		last := i == len(ops)-1
		if last && ctx.Done() == nil {
			s.run(r)
			return nil
		}
		go s.run(r)
		if last {
			return nil
		}
		select {
		case <-r.written:
		case <-r.done:
		case <-s.link.gone:
			return zkcore.ErrSessionOver
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// ready waits for a slot.
func (s *session) ready(ctx context.Context) error {
	if s.link.over() {
		return zkcore.ErrSessionOver
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
	}
	return s.waitFor(ctx, s.slots)
}

func (s *session) waitFor(ctx context.Context, slots chan<- struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-s.link.gone:
		return zkcore.ErrSessionOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *session) wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	default:
	}
	select {
	case <-done:
		return nil
	case <-s.link.gone:
		return zkcore.ErrSessionOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run carries one op out and notes its result.
func (s *session) run(r *request) {
	defer close(r.done)
	defer func() { <-s.slots }()
	if r.op.Kind == zkcore.Create {
		// One create of a path at a time, so that the zxid is its own.
		if !s.creates.lock(r.op.Path, s.link.gone) {
			r.result.Err = &zkcore.SendError{Err: zkcore.ErrSessionOver}
			return
		}
		defer s.creates.unlock(r.op.Path)
	}
	var w *watch
	if r.op.OnEvent != nil {
		w = &watch{fire: r.op.OnEvent}
		if !s.watching(r.op.Path, w) {
			r.result.Err = &zkcore.SendError{Err: zkcore.ErrSessionOver}
			return
		}
	}
	mark := s.link.expect(keyOf(r.op), r.written)
	err := s.call(r)
	if errors.Is(err, zk.ErrSessionExpired) {
		s.end() // the server says so on a connection that it has not closed
		err = zkcore.ErrSessionOver
	}
	zxid, written := s.link.settle(mark)
	if r.op.Kind == zkcore.Create {
		r.result.Stat = zkcore.Stat{Czxid: zxid}
	}
	if err != nil {
		if w != nil {
			s.notWatching(r.op.Path, w)
		}
		r.result.Err = classed(err, written)
	}
}

// call is the driver's call for an op.
func (s *session) call(r *request) (err error) {
	op, out := r.op, &r.result
	var stat *zk.Stat
	switch op.Kind {
	case zkcore.Create:
		out.Path, err = s.conn.Create(op.Path, op.Data, int32(op.Mode), acls(op.ACL))
	case zkcore.Delete:
		err = s.conn.Delete(op.Path, op.Version)
	case zkcore.Get:
		if op.OnEvent != nil {
			out.Data, stat, _, err = s.conn.GetW(op.Path)
		} else {
			out.Data, stat, err = s.conn.Get(op.Path)
		}
	case zkcore.List:
		out.Children, stat, err = s.conn.Children(op.Path)
	case zkcore.Set:
		stat, err = s.conn.Set(op.Path, op.Data, op.Version)
	case zkcore.Sync:
		_, err = s.conn.Sync(op.Path)
	case zkcore.Check:
		_, err = s.conn.Multi(&zk.CheckVersionRequest{Path: op.Path, Version: op.Version})
	}
	if err == nil && stat != nil {
		out.Stat = statOf(stat)
	}
	return err
}

func keyOf(op zkcore.Op) frameKey {
	codes := [...]int32{
		zkcore.Create: opCreate, zkcore.Delete: opDelete, zkcore.Get: opGet, zkcore.List: opChildren,
		zkcore.Set: opSet, zkcore.Sync: opSync, zkcore.Check: opMulti,
	}
	key := frameKey{opcode: codes[op.Kind], path: op.Path}
	if op.Kind == zkcore.Check {
		key.path = ""
	}
	return key
}
