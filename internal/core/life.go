// Package core has what the cores of both stores have in common: the life of a
// client, from its first lock to the end of Close, and the clock of an outage.
package core

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/recipes"
)

// Life counts what a client has under way, so that closing it can wait: calls,
// what goes on behind them, and grants.
type Life struct {
	// Closing is closed when Close begins: waiters leave.
	Closing <-chan struct{}
	// Behind is the context of what goes on behind calls; it ends with Close.
	Behind context.Context
	Keeper grant.Keeper

	observer recipes.Observer
	open     context.Context // ends when Close begins
	leave    context.CancelFunc
	stop     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	grants  map[*grant.Grant]struct{}
	tasks   int           // calls under way, and what goes on behind them
	changed chan struct{} // a grant or a task has gone
}

// Begin starts the life of a client; closed says that it was closed before its
// first use.
func (l *Life) Begin(set *settings.Common, closed bool) {
	l.open, l.leave = context.WithCancel(context.Background())
	l.Closing = l.open.Done()
	l.observer = set.Observer
	l.grants = make(map[*grant.Grant]struct{})
	l.changed = make(chan struct{}, 1)
	l.Behind, l.stop = context.WithCancel(context.Background())
	if closed {
		l.closed = true
		l.leave()
		l.stop()
	}
}

// Keep registers a grant; false when the client is closing.
func (l *Life) Keep(g *grant.Grant) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.grants[g] = struct{}{}
	return true
}

// Forget takes a grant that has ended off the books.
func (l *Life) Forget(g *grant.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.grants, g)
	grant.Signal(l.changed)
}

// Enter counts a call, which Close then waits for, with what it leaves to be
// undone; false when the client is closing.
func (l *Life) Enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.tasks++
	return true
}

// Exit is the end of what Enter counted.
func (l *Life) Exit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tasks--
	grant.Signal(l.changed)
}

// Later runs f behind the call that wants it; Close waits for it.
func (l *Life) Later(f func(ctx context.Context)) {
	l.mu.Lock()
	l.tasks++
	l.mu.Unlock()
	go func() {
		defer l.Exit()
		f(l.Behind)
	}()
}

// IsClosing reports whether Close has begun.
func (l *Life) IsClosing() bool { return l.open.Err() != nil }

// While bounds ctx by d, which over is the cause of, and by the beginning of
// Close.
func (l *Life) While(ctx context.Context, d time.Duration, over error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, d, over)
	stop := context.AfterFunc(l.open, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Emitter hands the events of one recipe's locks to the observer; nil without
// one.
func (l *Life) Emitter(recipe string) func(grant.Event) {
	if l.observer == nil {
		return nil
	}
	return func(e grant.Event) {
		e.Recipe = recipe
		l.observer.Observe(recipes.Event(e))
	}
}

// Live are the grants that are held.
func (l *Life) Live() []*grant.Grant {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]*grant.Grant, 0, len(l.grants))
	for g := range l.grants {
		out = append(out, g)
	}
	return out
}

// BeginClosing refuses new calls and lets waiters leave.
func (l *Life) BeginClosing() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.leave()
}

// End is all of it that a store has no part in: Drain, then Stop.
func (l *Life) End(ctx context.Context) error {
	err := l.Drain(ctx)
	l.Stop()
	return err
}

// Stop ends what is left: what is held is lost and abandoned, what goes on
// behind ends.
func (l *Life) Stop() {
	for _, g := range l.Live() {
		g.Lose(grant.Closed)
	}
	l.stop()
	l.Keeper.Stop()
}

// Drain ends the contexts of live holds, which stay held, and waits for
// everything under way until ctx ends. It returns ctx's error.
func (l *Life) Drain(ctx context.Context) error {
	for _, g := range l.Live() {
		g.EndContexts(&grant.Fault{Verb: "hold", Name: g.Name, Kind: grant.ErrClosed})
	}
	for {
		l.mu.Lock()
		left := len(l.grants) + l.tasks
		l.mu.Unlock()
		if left == 0 {
			grant.Signal(l.changed) // for another Close
			return nil
		}
		select {
		case <-l.changed:
		case <-l.Behind.Done(): // another Close has ended it
			return nil
		case <-ctx.Done():
			return errors.Join(append(grant.OwnCause(ctx), ctx.Err())...)
		}
	}
}
