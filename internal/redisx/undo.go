package redisx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// undo takes what owner may have got out of the store, behind the call that
// leaves. mark says whether a late acquire of the owner is to be expected.
func (l *Lock) undo(owner string, mark mark, lease time.Duration) {
	l.Core.Later(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, lease+time.Second)
		defer cancel()
		for n := 1; ; n++ {
			trial, done := context.WithTimeout(ctx, l.Core.attemptLimit())
			_, err := l.release(trial, owner, 0, mark)
			done()
			if err == nil {
				return
			}
			select {
			case <-ctx.Done():
				l.Core.log.Warn("undo not confirmed", "lock", grant.Brief(l.Name), "owner", owner, "err", err)
				return
			case <-time.After(grant.RetryIn(l.Core.set.WatchdogLease, n)):
			}
		}
	})
}
