// Package onredis brings recipes on Redis to the conformance suite: places,
// which are Redis deployments with a way to reach them, and the clients of a
// trial there.
package onredis

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// MakeLocker makes the lock of that name at a client.
type MakeLocker func(c *rediscore.Client, name string) recipes.Locker

// deployment is a conformance.Store.
type deployment struct {
	place   *Place
	clients []*rediscore.Client
	make    MakeLocker

	mu    sync.Mutex
	waits map[string]int
}

var _ conformance.Store = (*deployment)(nil)

func (d *deployment) Locker(client int, name string) recipes.Locker {
	return d.make(d.clients[client], name)
}

func (d *deployment) Close(ctx context.Context, client int) error {
	return d.clients[client].Close(ctx)
}

// Observe counts the Lock calls that had to wait: from its event on, a call is
// in line.
func (d *deployment) Observe(e recipes.Event) {
	if e.Kind == recipes.EventWaiting {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waits[e.Name]++
	}
}

func (d *deployment) Waiting(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waits[name]
}

func (d *deployment) Delete(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, d.place.rdb.Del(t.Context(), name).Err())
}

// fences are the names of fence counters: they stay for ever, as Redisson's do.
const fences = "redisson_lock_token:"

// undone is how the marks of undone owners end: they stay for a minute.
const undone = ":undone"

func (d *deployment) Left(tag string) (keys, channels []string, err error) {
	ctx := context.Background() // also after the test's own has ended
	for _, node := range d.place.nodes {
		it := node.Scan(ctx, 0, "*"+tag+"*", 10_000).Iterator()
		for it.Next(ctx) {
			if k := it.Val(); !strings.HasPrefix(k, fences) && !strings.HasSuffix(k, undone) {
				keys = append(keys, k)
			}
		}
		some, failed := node.PubSubChannels(ctx, "*"+tag+"*").Result()
		channels, err = append(channels, some...), errors.Join(err, it.Err(), failed)
		if d.place.sharded {
			some, failed = node.PubSubShardChannels(ctx, "*"+tag+"*").Result()
			channels, err = append(channels, some...), errors.Join(err, failed)
		}
	}
	return keys, channels, err
}

// closeAll is for what a failed trial left open.
func (d *deployment) closeAll() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range d.clients {
		_ = c.Close(ctx)
	}
}
