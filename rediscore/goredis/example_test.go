package goredis_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// One client a process, made once and closed when the program ends.
func ExampleNew() {
	serve := func(ctx context.Context, run func(context.Context, *rediscore.Client) error) error {
		rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
		defer rdb.Close()
		rc, err := goredis.New(rdb, rediscore.WithLogger(slog.Default()))
		if err != nil {
			return err // a bad option; nothing has been sent yet
		}
		defer func() {
			// Contexts of live holds end, waiters leave; then it waits for the
			// Releases, ten seconds at most.
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := rc.Close(ctx); err != nil {
				slog.Warn("locks were still held", "err", err)
			}
		}()
		return run(ctx, rc)
	}
	_ = serve
}

// Behind Sentinel the locks follow the primary.
func ExampleNew_sentinel() {
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName:    "mymaster",
		SentinelAddrs: []string{"sentinel-1:26379", "sentinel-2:26379", "sentinel-3:26379"},
	})
	rc, err := goredis.New(rdb, rediscore.WithReplicas(1))
	_, _ = rc, err
}

// In a cluster, beside Java services of mixed Redisson versions.
func ExampleNew_cluster() {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: []string{"redis-1:6379", "redis-2:6379", "redis-3:6379"},
	})
	rc, err := goredis.New(rdb, rediscore.WithSignals(rediscore.Both))
	_, _ = rc, err
}

// metrics counts what an alarm should be set on.
type metrics struct{ lost, atRisk, unknown, gaveUp atomic.Int64 }

// Observe runs inside the library: it counts and returns.
func (m *metrics) Observe(e recipes.Event) {
	switch e.Kind {
	case recipes.EventLost:
		m.lost.Add(1)
	case recipes.EventAtRisk:
		m.atRisk.Add(1)
	case recipes.EventReleaseUnknown:
		m.unknown.Add(1)
	case recipes.EventGaveUp:
		m.gaveUp.Add(1)
	}
}

func ExampleNew_observer() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	rc, err := goredis.New(rdb, rediscore.WithObserver(&metrics{}))
	_, _ = rc, err
}
