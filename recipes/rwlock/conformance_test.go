package rwlock_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/internal/conformance/onzookeeper"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/rwlock"
	"github.com/holdfast-go/holdfast/zkcore"
)

// The write side is a mutex, and is put through all that a mutex is.
func TestZooWriterConforms(t *testing.T) {
	for _, row := range onzookeeper.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			place := row.Place(t)
			for name, opts := range map[string][]rwlock.ZooKeeperOption{"curator": nil, "host nodes": {rwlock.HostNodes()}} {
				t.Run(name, func(t *testing.T) {
					can := conformance.Subject{Ordered: true, QueueStored: true}
					conformance.Run(t, place.Subject(can, func(c *zkcore.Client, path string) recipes.Locker {
						return rwlock.NewZooKeeper(c, path, opts...).Writer()
					}))
				})
			}
		})
	}
}
