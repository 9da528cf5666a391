package mutex_test

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

func BenchmarkUncontendedPair(b *testing.B) {
	server := stores.Single(b)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	c, err := goredis.New(rdb)
	if err != nil {
		b.Fatal(err)
	}
	m := mutex.NewRedis(c, "x")
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		h, err := m.Lock(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Release(ctx); err != nil {
			b.Fatal(err)
		}
		cancel()
	}
	_ = c.Close(context.Background())
	_ = rdb.Close()
}
