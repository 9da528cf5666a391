package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

const (
	idleHolds      = 2000
	earlierPairs   = 10_000
	mostGoroutines = 20
	// A hold is renewed three times a lease; a request for each hundred holds
	// is what Redisson sends.
	mostRenewals = 3 * idleHolds / 100
	// More than this beside the same without earlier pairs would be timers that
	// pile up; the rest is where the window cuts.
	mostGrowth = 1.25
	// holdLease is short, so that renewals are seen in a short run, and
	// watchFor is how many leases are watched.
	holdLease = 3 * time.Second
	watchFor  = 3
)

// measureHolds is what holding costs while nothing happens, and whether what
// was locked and unlocked before makes it cost more.
func measureHolds(ctx context.Context, b *bench, _ config) (err error) {
	before := runtime.NumGoroutine()
	rc, err := goredis.New(b.rdb, rediscore.WithWatchdogLease(holdLease))
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, rc.Close(ctx))
	}()
	var first, second idle
	if first, err = holdIdle(ctx, b, rc); err != nil {
		return err
	}
	if err = pairs(ctx, newHoldfast(rc).lock(b.name()), earlierPairs); err != nil {
		return err
	}
	if second, err = holdIdle(ctx, b, rc); err != nil {
		return err
	}
	who := b.holdfast.label
	label := func(s string) string { return fmt.Sprintf(s, idleHolds) }
	b.report.count(count{what: label("goroutines more for %d idle holds"), who: who, got: float64(first.goroutines - before), most: mostGoroutines})
	b.report.count(count{what: label("renewal requests a lease, %d holds"), who: who, got: first.renewals, most: mostRenewals})
	b.report.count(count{what: "  after 10000 earlier pairs", who: who, got: second.renewals, most: mostRenewals})
	b.report.count(count{what: "  over the same without them", who: who, got: second.renewals / first.renewals, most: mostGrowth})
	return nil
}

// idle is what many holds cost.
type idle struct {
	goroutines int     // the most seen
	renewals   float64 // requests a lease
}

func holdIdle(ctx context.Context, b *bench, rc *rediscore.Client) (out idle, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	holds := make([]*recipes.Hold, idleHolds)
	for i := range holds {
		if holds[i], err = mutex.NewRedis(rc, b.name()).Lock(ctx); err != nil {
			return out, err
		}
		holds[i].Context(ctx) // as its user would have
	}
	used, err := counted(ctx, b.rdb, func() error {
		look := time.NewTicker(holdLease / 60)
		defer look.Stop()
		for end := time.After(watchFor * holdLease); ; {
			select {
			case <-end:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-look.C:
				out.goroutines = max(out.goroutines, runtime.NumGoroutine())
			}
		}
	})
	if err != nil {
		return out, err
	}
	out.renewals = per(used.requests(), watchFor)
	for _, h := range holds {
		if err := errors.Join(h.Err(), h.Release(ctx)); err != nil {
			return out, fmt.Errorf("an idle hold: %w", err)
		}
	}
	return out, nil
}
