package mutex_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// rc is the one client of a process; see rediscore/goredis for how to make it.
var rc *rediscore.Client

func chargeCustomer(context.Context) error { return nil }

// The whole of it: connect, lock, work, release.
func Example() {
	work := func(ctx context.Context) error {
		rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
		rc, err := goredis.New(rdb) // once a process
		if err != nil {
			return err
		}
		h, err := mutex.NewRedis(rc, "orders:42").Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return chargeCustomer(h.Context(ctx)) // this context ends when the lock does
	}
	if err := work(context.Background()); err != nil {
		log.Print(err)
	}
}

// One name for each thing that is guarded: a mutex costs nothing to make.
func ExampleMutex_Lock() {
	handle := func(ctx context.Context, order string) error {
		h, err := mutex.NewRedis(rc, "order:"+order).Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return chargeCustomer(h.Context(ctx))
	}
	_ = handle
}

// Of many instances one runs the job; the others go on.
func ExampleMutex_TryLock() {
	tick := func(ctx context.Context) error {
		h, err := mutex.NewRedis(rc, "nightly-report").TryLock(ctx)
		if errors.Is(err, recipes.ErrNotAcquired) {
			return nil // another instance is at it
		}
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return chargeCustomer(h.Context(ctx))
	}
	_ = tick
}

// A fenced mutex gives each grant a number that grows. Write it with the data.
func ExampleFenced() {
	work := func(ctx context.Context, write func(ctx context.Context, token int64) error) error {
		h, err := mutex.NewRedis(rc, "account:7", mutex.Fenced()).Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		token, ok := h.Fence()
		if !ok {
			return errors.New("no fence: an outer hold of this name was taken without one")
		}
		return write(h.Context(ctx), token)
	}
	_ = work
}

// The layout of the Redis documentation, beside programs that use it.
func ExamplePlain() {
	h, err := mutex.NewRedis(rc, "cron", mutex.Plain()).TryLock(context.Background())
	if err != nil {
		return
	}
	defer h.Release(context.Background())
}

// Who holds it, and for how long still?
func ExampleMutex_Inspect() {
	show := func(ctx context.Context) error {
		st, err := mutex.NewRedis(rc, "orders:42").Inspect(ctx)
		if err != nil {
			return err
		}
		for _, holder := range st.Holders {
			fmt.Println(holder.ID, holder.Count, holder.TTL)
		}
		return nil
	}
	_ = show
}

// Taking a lock away names the holder, so that it cannot hit the next one.
func ExampleMutex_ForceRelease() {
	evict := func(ctx context.Context, id string) error {
		m := mutex.NewRedis(rc, "orders:42")
		err := m.ForceRelease(ctx, recipes.Holder{ID: id})
		if errors.Is(err, recipes.ErrNotHeld) {
			return nil // it has gone meanwhile
		}
		return err
	}
	_ = evict
}

// A checkpoint in a job that must not go on after the lock was taken away by
// hand: Extend asks the store now instead of at the next renewal.
func ExampleMutex_extend() {
	step := func(ctx context.Context, h *recipes.Hold) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return h.Extend(ctx, 0)
	}
	_ = step
}
