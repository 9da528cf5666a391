package grant

import (
	"context"
	"errors"
)

type carried struct {
	cancel context.CancelCauseFunc
	stop   func() bool
}

// Context is ctx, ending with the level too, and carrying it.
func (l *Level) Context(ctx context.Context) context.Context {
	child, cancel := context.WithCancelCause(context.WithValue(ctx, l.Grant.ID, l))
	g := l.Grant
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.check(Now()); l.ctxErr != nil {
		cancel(l.ctxErr)
		return child
	}
	c := &carried{cancel: cancel}
	// A long hold must not collect a cancel function for every context that has
	// ended before it.
	c.stop = context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(l.contexts, c)
	})
	if l.contexts == nil {
		l.contexts = make(map[*carried]struct{}, 1)
	}
	l.contexts[c] = struct{}{}
	return child
}

func (l *Level) cancel(why error) {
	if l.ctxErr == nil {
		l.ctxErr = why
	}
	for c := range l.contexts {
		c.stop()
		c.cancel(l.ctxErr)
	}
	l.contexts = nil
}

// Carried is the level of the lock id that ctx carries: nil when there is none
// or its user has released it, an error when it was lost.
func Carried(ctx context.Context, id ID) (*Level, error) {
	l, _ := ctx.Value(id).(*Level)
	if l == nil {
		return nil, nil
	}
	l.Grant.mu.Lock()
	defer l.Grant.mu.Unlock()
	l.Grant.check(Now())
	switch {
	case l.err == nil:
		return l, nil
	case errors.Is(l.err, errReleased):
		return nil, nil
	}
	return nil, l.err
}
