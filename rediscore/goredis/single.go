package goredis

import (
	"context"
	"fmt"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// single is one server, or the primary that Sentinel names at each dial.
type single struct{ node *node }

func (s *single) Node(string) string { return "" }

func (s *single) Do(ctx context.Context, _ string, cmds ...rediscore.Cmd) ([]rediscore.Reply, error) {
	return s.node.do(ctx, cmds)
}

func (s *single) Listen(_ context.Context, _ string, sharded bool) (rediscore.Stream, error) {
	return newStream(s.node.from, "", sharded), nil
}

func (s *single) Shape(ctx context.Context) (rediscore.Shape, error) {
	shape, err := shapeOf(ctx, s.node)
	if err == nil && shape.Cluster {
		return shape, fmt.Errorf("%w: the server is a node of a Redis Cluster, and the client is not: make it with redis.NewClusterClient, or with IsClusterMode", recipes.ErrInvalid)
	}
	return shape, err
}

// Interrupt cuts what is under way.
func (s *single) Interrupt() { s.node.interrupt() }

func (s *single) Close() error {
	s.node.close()
	return nil
}
