package goredis

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// replies turns executed commands into the seam's replies. err is that of the
// call; commands carry their own too.
func replies(ctx context.Context, cmds []redis.Cmder, err error) ([]rediscore.Reply, error) {
	out := make([]rediscore.Reply, len(cmds))
	for i, cmd := range cmds {
		v, own := cmd.(once).Result()
		if len(cmds) == 1 && own == nil {
			own = err
		}
		var answer redis.Error
		switch {
		case own == nil:
			out[i].Value = v
		case errors.Is(own, redis.Nil):
		case errors.As(own, &answer):
			out[i].Err = &rediscore.ServerError{Text: answer.Error()}
		default:
			return nil, unanswered(ctx, own)
		}
	}
	return out, nil
}

// unanswered classes an error of the connection. Without proof that the command
// never left, it may have been carried out.
func unanswered(ctx context.Context, err error) *rediscore.SendError {
	e := &rediscore.SendError{Sent: !unsent(err), Err: err}
	if ctx.Err() != nil {
		// The connection was cut because the context ended; say so.
		e.Err = context.Cause(ctx)
	}
	return e
}

func unsent(err error) bool {
	var dial *net.OpError
	switch {
	case errors.As(err, new(failedDial)):
		return true
	case errors.As(err, &dial) && dial.Op == "dial": // of a client that is not ours
		return true
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted), errors.Is(err, redis.ErrClosed):
		return true
	}
	var dns *net.DNSError
	return errors.As(err, &dns)
}
