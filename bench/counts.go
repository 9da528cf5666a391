package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

const (
	mostCommands = 8 // of the server, an acquisition with its release
	// A hand-over is one request. A row of at most 16 of them begins with an
	// acquire and ends with a release: 18 requests for 17 cycles.
	mostTrips = 1.1
)

// measureCounts is what a lock costs in requests, commands and allocations.
func measureCounts(ctx context.Context, b *bench, _ config) error {
	const n = 1000
	for _, c := range []contender{b.holdfast, b.redsync, b.bare} {
		l := c.lock(b.name())
		if err := pairs(ctx, l, 100); err != nil { // dial, load scripts, fill pools
			return err
		}
		used, err := counted(ctx, b.rdb, func() error { return pairs(ctx, l, n) })
		if err != nil {
			return err
		}
		mallocs, bytes, err := allocations(ctx, l, n)
		if err != nil {
			return err
		}
		mine := c.label == b.holdfast.label
		b.report.count(count{what: "server commands, uncontended pair", who: c.label, got: per(used.commands(), n), most: aim(mine, mostCommands)})
		if mine {
			b.report.count(count{what: "round trips, uncontended pair", who: c.label, got: per(used.requests(), n), most: 2})
		}
		b.report.count(count{what: "allocations, uncontended pair", who: c.label, got: mallocs})
		b.report.count(count{what: "  their bytes", who: c.label, got: bytes})
	}
	return countHandovers(ctx, b)
}

func aim(has bool, most float64) float64 {
	if has {
		return most
	}
	return 0
}

func per(sum int64, n int) float64 { return float64(sum) / float64(n) }

// allocations is how many objects and bytes a pair takes off the heap, in this
// process and all its goroutines.
func allocations(ctx context.Context, l lock, n int) (objects, bytes float64, err error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err = pairs(ctx, l, n)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n), err
}

// countHandovers is 32 waiters of one process on one name, which another client
// holds at first, so that they have to hear of its release.
func countHandovers(ctx context.Context, b *bench) (err error) {
	const workers, cycles = 32, 100
	stranger, err := goredis.New(b.rdb)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stranger.Close(ctx)) }()
	name := b.name()
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	used, err := counted(ctx, b.rdb, func() error {
		hold, err := mutex.NewRedis(stranger, name).Lock(ctx)
		if err != nil {
			return err
		}
		var all errgroup.Group
		for range workers {
			all.Go(func() error { return pairs(wait, b.holdfast.lock(name), cycles) })
		}
		if err := errors.Join(subscribed(wait, b.rdb), hold.Release(ctx)); err != nil {
			cancel()
			return errors.Join(err, all.Wait())
		}
		return all.Wait()
	})
	if err != nil {
		return err
	}
	used.forget("pubsub|channels")
	const n = workers * cycles
	who := b.holdfast.label
	b.report.count(count{what: "server commands a cycle, 32 waiters on one name", who: who, got: per(used.commands(), n), most: mostCommands})
	b.report.count(count{what: "round trips a cycle, 32 waiters on one name", who: who, got: per(used.requests(), n), most: mostTrips})
	b.report.count(count{what: "subscriptions, 32 waiters on one name", who: who, got: float64(used.subscriptions()), most: 1})
	return nil
}

// subscribed returns when the server has a subscriber on any channel.
func subscribed(ctx context.Context, rdb *redis.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		channels, err := rdb.PubSubChannels(ctx, "*").Result()
		if err != nil || len(channels) > 0 {
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return errors.New("nobody has subscribed")
		}
	}
}
