package recipes

import (
	"context"
	"errors"
)

// Do locks l, runs f and releases. f gets a context that ends with ctx and with
// the hold, and carries the hold, so that locks of the same name inside f
// re-enter. f must return soon after its context has ended.
//
// The error is f's, joined with that of the release: a nil error says that f
// returned nil and the lock was held for all of it. f does not run when the
// lock is not acquired.
func Do(ctx context.Context, l Locker, f func(context.Context, *Hold) error, opts ...LockOption) (err error) {
	h, err := l.Lock(ctx, opts...)
	if err != nil {
		return err
	}
	defer func() { err = join(err, h.Release(ctx)) }()
	return f(h.Context(ctx), h)
}

// join leaves an error that the other one carries already out.
func join(err, released error) error {
	if err == nil || released == nil || errors.Is(err, released) {
		if err == nil {
			return released
		}
		return err
	}
	return errors.Join(err, released)
}
