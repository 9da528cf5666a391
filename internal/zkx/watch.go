package zkx

import (
	"context"
	"sync"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// watch is the one watch on a node that all waiters of an epoch share. A watch
// cannot be taken back: when its waiters have left it stays, and the next one
// uses it.
type watch struct {
	mu     sync.Mutex
	armed  chan struct{} // closed when the server has answered
	err    error
	ears   map[*ear]struct{}
	fired  bool
	reason zkcore.Event
}

// ear is one waiter at a watch.
type ear struct {
	w    *watch
	wake chan<- struct{}
}

// heard is what the watch has told, 0 for nothing yet.
func (x *ear) heard() zkcore.Event {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	if !x.w.fired {
		return 0
	}
	return x.w.reason
}

func (x *ear) leave() {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	delete(x.w.ears, x)
}

// listen waits for what happens to the node at path; wake is told. The error
// says that there is no watch: NoNode when the node has gone already.
func (e *epoch) listen(ctx context.Context, path string, wake chan<- struct{}) (*ear, error) {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return nil, &zkcore.SendError{Err: zkcore.ErrSessionOver}
	}
	w := e.watches[path]
	mine := w == nil
	if mine {
		w = &watch{armed: make(chan struct{}), ears: make(map[*ear]struct{})}
		e.watches[path] = w
	}
	x := &ear{w: w, wake: wake}
	w.mu.Lock()
	w.ears[x] = struct{}{}
	w.mu.Unlock()
	e.mu.Unlock()
	if mine {
		// Not with ctx: others may share it by now.
		e.core.Later(func(context.Context) { e.arm(path, w) })
	}
	select {
	case <-w.armed:
	case <-ctx.Done():
		x.leave()
		return nil, &zkcore.SendError{Sent: true, Err: context.Cause(ctx)}
	}
	if w.err != nil {
		x.leave()
		return nil, w.err
	}
	return x, nil
}

// arm sets the watch at the server.
func (e *epoch) arm(path string, w *watch) {
	_, err := e.one(context.Background(), zkcore.Op{
		Kind: zkcore.Get, Path: path,
		OnEvent: func(ev zkcore.Event) {
			e.unwatch(path, w)
			w.fire(ev)
		},
	})
	if err != nil {
		e.unwatch(path, w)
	}
	w.err = err
	close(w.armed)
}

func (e *epoch) unwatch(path string, w *watch) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watches[path] == w {
		delete(e.watches, path)
	}
}

func (w *watch) fire(ev zkcore.Event) {
	w.mu.Lock()
	w.fired, w.reason = true, ev
	w.mu.Unlock()
	w.wake()
}

func (w *watch) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for x := range w.ears {
		grant.Signal(x.wake)
	}
}
