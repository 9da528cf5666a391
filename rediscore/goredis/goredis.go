// Package goredis lets the Redis recipes run on go-redis.
//
// New takes the client you have, for a single server, for Sentinel or for a
// Cluster, and leaves it alone: it stays yours to use and to close. The core
// dials connections of its own with the client's options (address or Sentinel,
// TLS, credentials, database, dialer), because a lock needs what a general
// client must not do: requests that are never sent twice unasked, that end with
// their context, and that go to the primary, whatever the client is set to. So
// retries, read-only routing, timeouts, hooks, a limiter and client-side caching
// of the client have no effect on locks.
//
// A type of your own around a go-redis client is used as it is, through
// pipelines without retries; requests then return with their context, and the
// connection stays busy until the client's own timeout.
package goredis

import (
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// New makes the core on a go-redis client. It does no I/O and does not take the
// client over. Errors are recipes.ErrInvalid: a bad option, or a *redis.Ring,
// whose keys move when a server drops out. A nil client panics.
func New(rdb redis.UniversalClient, opts ...rediscore.Option) (*rediscore.Client, error) {
	conn, err := connect(rdb)
	if err != nil {
		return nil, err
	}
	c, err := rediscore.New(conn, opts...)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

func connect(rdb redis.UniversalClient) (rediscore.Conn, error) {
	switch c := rdb.(type) {
	case nil:
		panic("goredis: New with a nil client")
	case *redis.Client:
		if c == nil {
			panic("goredis: New with a nil client")
		}
		return &single{node: newNode(c.Options(), "")}, nil
	case *redis.ClusterClient:
		if c == nil {
			panic("goredis: New with a nil client")
		}
		return newCluster(c), nil
	case *redis.Ring:
		return nil, fmt.Errorf("goredis.New: %w: a redis.Ring moves keys when a server drops out, and locks with them", recipes.ErrInvalid)
	}
	return &borrowed{rdb: rdb}, nil
}
