package mutex_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// BenchmarkPair locks and releases: alone, many workers on one name, and as
// many on names of their own. The module bench sets it beside others.
func BenchmarkPair(b *testing.B) {
	server := stores.Single(b)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer func() { _ = rdb.Close() }()
	c, err := goredis.New(rdb)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, size := range []struct {
		what           string
		workers, names int
	}{{"alone", 1, 1}, {"one name", 16, 1}, {"64 names", 64, 64}} {
		b.Run(size.what, func(b *testing.B) {
			b.ReportAllocs()
			var wg sync.WaitGroup
			for w := range size.workers {
				m := mutex.NewRedis(c, fmt.Sprint("name", w%size.names))
				wg.Go(func() {
					for range b.N / size.workers {
						pair(b, m)
					}
				})
			}
			wg.Wait()
		})
	}
}

func pair(b *testing.B, m *mutex.Mutex) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h, err := m.Lock(ctx)
	if err == nil {
		err = h.Release(ctx)
	}
	if err != nil {
		b.Error(err)
	}
}
