package mutex_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/internal/conformance/onredis"
	"github.com/holdfast-go/holdfast/internal/conformance/onzookeeper"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/zkcore"
)

var layouts = []struct {
	name string
	opts []mutex.RedisOption
	can  conformance.Subject
}{
	{"default", nil, conformance.Subject{}},
	{"fenced", []mutex.RedisOption{mutex.Fenced()}, conformance.Subject{Fences: true}},
	{"plain", []mutex.RedisOption{mutex.Plain()}, conformance.Subject{}},
}

func TestMutexConforms(t *testing.T) {
	for _, row := range onredis.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			place := row.Place(t)
			for _, layout := range layouts {
				t.Run(layout.name, func(t *testing.T) {
					conformance.Run(t, place.Subject(layout.can, func(c *rediscore.Client, name string) recipes.Locker {
						return mutex.NewRedis(c, name, layout.opts...)
					}))
				})
			}
		})
	}
}

var zooConforming = []struct {
	name string
	opts []mutex.ZooKeeperOption
	can  conformance.Subject
}{
	{"curator", nil, conformance.Subject{Ordered: true, QueueStored: true}},
	{"single node", []mutex.ZooKeeperOption{mutex.SingleNode()}, conformance.Subject{}},
}

func TestZooMutexConforms(t *testing.T) {
	for _, row := range onzookeeper.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			place := row.Place(t)
			for _, layout := range zooConforming {
				t.Run(layout.name, func(t *testing.T) {
					conformance.Run(t, place.Subject(layout.can, func(c *zkcore.Client, path string) recipes.Locker {
						return mutex.NewZooKeeper(c, path, layout.opts...)
					}))
				})
			}
		})
	}
}
