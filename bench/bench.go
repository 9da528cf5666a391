package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// poolSize is that of the user's client: a connection for each worker of the
// largest crowd, so that no contender waits for one.
const poolSize = 64

// bench is what all parts share: one server, one go-redis client as a user
// would make it, the contenders on it.
type bench struct {
	dir     string
	server  *stores.Server
	version string
	rdb     *redis.Client
	rc      *rediscore.Client

	holdfast, redsync, keen, bare contender

	fresh  atomic.Int64 // names handed out
	report report
}

func newBench(ctx context.Context) (b *bench, err error) {
	b = &bench{}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("", "holdfast-bench-"); err != nil {
		return b, err
	}
	if b.server, err = stores.StartSingle(ctx, b.dir); err != nil {
		return b, err
	}
	b.rdb = redis.NewClient(&redis.Options{Addr: b.server.Addr(), PoolSize: poolSize})
	if b.version, err = serverVersion(ctx, b.rdb); err != nil {
		return b, err
	}
	if b.rc, err = goredis.New(b.rdb); err != nil {
		return b, err
	}
	b.holdfast = newHoldfast(b.rc)
	b.redsync, b.keen = newRedsync(b.rdb), newKeenRedsync(b.rdb)
	b.bare, err = newBare(ctx, b)
	return b, err
}

func (b *bench) close() error {
	var errs []error
	if b.rc != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		errs = append(errs, b.rc.Close(ctx))
	}
	if b.rdb != nil {
		errs = append(errs, b.rdb.Close())
	}
	if b.server != nil {
		errs = append(errs, b.server.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}

// name is a lock that nobody has used yet: what one window leaves behind does
// not reach into the next.
func (b *bench) name() string { return fmt.Sprintf("bench:%d", b.fresh.Add(1)) }

func (b *bench) names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = b.name()
	}
	return out
}
