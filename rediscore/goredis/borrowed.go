package goredis

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// borrowed is a client of a type that is not go-redis's own: nothing is known
// of how it dials, so everything goes through it.
type borrowed struct{ rdb redis.UniversalClient }

func (b *borrowed) Node(string) string { return "" }

// Do runs behind its caller, who leaves when ctx ends.
func (b *borrowed) Do(ctx context.Context, _ string, cmds ...rediscore.Cmd) ([]rediscore.Reply, error) {
	if ctx.Err() != nil {
		return nil, &rediscore.SendError{Err: context.Cause(ctx)}
	}
	sent := commands(ctx, cmds)
	done := make(chan error, 1)
	go func() {
		pipe := b.rdb.Pipeline()
		for _, cmd := range sent {
			_ = pipe.Process(ctx, cmd)
		}
		_, err := pipe.Exec(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		return replies(ctx, sent, err)
	case <-ctx.Done():
		return nil, &rediscore.SendError{Sent: true, Err: context.Cause(ctx)}
	}
}

func (b *borrowed) Listen(context.Context, string, bool) (rediscore.Stream, error) {
	return lentStream(b.rdb), nil
}

func (b *borrowed) Shape(context.Context) (rediscore.Shape, error) { return rediscore.Shape{}, nil }

// Interrupt has nothing to cut: calls leave with their contexts.
func (b *borrowed) Interrupt() {}

func (b *borrowed) Close() error { return nil }
