package redisx

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// undo takes what owner may have got out of the store, behind the call that
// leaves. An undo that finds nothing leaves a mark, because the acquire may be
// late; doubt leaves it in any case, because an earlier acquire may be.
func (l *Lock) undo(owner string, doubt bool, lease time.Duration) {
	mark := markMissing
	if doubt {
		mark = markAlways
	}
	l.Core.later(func(ctx context.Context) {
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
				l.Core.log.Warn("undo not confirmed", "lock", grant.Quote(l.Name), "owner", owner, "err", err)
				return
			case <-time.After(grant.RetryIn(l.Core.set.WatchdogLease, n)):
			}
		}
	})
}
