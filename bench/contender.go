package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncpool "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
)

// lease is every contender's.
const lease = 30 * time.Second

// contender makes the locks of one library.
type contender struct {
	label string
	lock  func(name string) lock
}

// lock is one worker's lock, taken and given back again and again. The context
// of take may end the wait; that of give outlives it.
type lock interface {
	take(ctx context.Context) error
	give(ctx context.Context) error
}

type holdfastLock struct {
	mutex *mutex.Mutex
	hold  *recipes.Hold
}

func newHoldfast(rc *rediscore.Client) contender {
	return contender{"holdfast", func(name string) lock {
		return &holdfastLock{mutex: mutex.NewRedis(rc, name)}
	}}
}

func (l *holdfastLock) take(ctx context.Context) (err error) {
	l.hold, err = l.mutex.Lock(ctx)
	return err
}

func (l *holdfastLock) give(ctx context.Context) error { return l.hold.Release(ctx) }

type redsyncLock struct{ mutex *redsync.Mutex }

// newRedsync is redsync as it comes, but for the lease and for the number of
// tries: by default it gives up after 32. Losers ask again after 50 to 250 ms.
func newRedsync(rdb redis.UniversalClient) contender { return redsyncWith("redsync", rdb) }

// newKeenRedsync asks again after 5 ms, so that on a busy name others than the
// last holder get a turn, too.
func newKeenRedsync(rdb redis.UniversalClient) contender {
	return redsyncWith("redsync, 5 ms", rdb, redsync.WithRetryDelay(5*time.Millisecond))
}

func redsyncWith(label string, rdb redis.UniversalClient, more ...redsync.Option) contender {
	rs := redsync.New(redsyncpool.NewPool(rdb))
	options := append([]redsync.Option{redsync.WithExpiry(lease), redsync.WithTries(math.MaxInt32)}, more...)
	return contender{label, func(name string) lock {
		return &redsyncLock{rs.NewMutex(name, options...)}
	}}
}

func (l *redsyncLock) take(ctx context.Context) error { return l.mutex.LockContext(ctx) }

func (l *redsyncLock) give(ctx context.Context) error {
	ok, err := l.mutex.UnlockContext(ctx)
	if err == nil && !ok {
		return fmt.Errorf("redsync: %s was not held", l.mutex.Name())
	}
	return err
}
