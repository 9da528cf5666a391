package goredis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// stream is one connection for signals. The driver would dial again by itself
// after an error and subscribe everything anew in one command; here a stream
// dials once, and the hub makes a new one.
type stream struct {
	client  *redis.Client
	pubsub  *redis.PubSub
	sharded bool
	ctx     context.Context
	cancel  context.CancelFunc

	mu     sync.Mutex
	conn   net.Conn
	dialed bool
	over   bool
	quits  map[string]bool // channels we unsubscribed from ourselves
}

func newStream(from *redis.Options, addr string, sharded bool) *stream {
	s := &stream{sharded: sharded, quits: make(map[string]bool)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	opt := ours(from, addr)
	dial := opt.Dialer
	opt.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		s.mu.Lock()
		again := s.dialed || s.over
		s.dialed = true
		s.mu.Unlock()
		if again {
			return nil, errOver
		}
		ctx, cancel := context.WithTimeout(ctx, longestDial)
		defer cancel()
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.over {
			_ = conn.Close()
			return nil, errOver
		}
		s.conn = conn
		return conn, nil
	}
	s.client = redis.NewClient(opt)
	s.pubsub = s.client.Subscribe(s.ctx)
	return s
}

// lentStream is a stream through a client that is not ours to look into. It
// cannot be cut, so its Close may have to wait.
func lentStream(rdb redis.UniversalClient) *stream {
	s := &stream{quits: make(map[string]bool)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.pubsub = rdb.Subscribe(s.ctx)
	return s
}

func (s *stream) Subscribe(channels ...string) error {
	s.mu.Lock()
	for _, c := range channels {
		delete(s.quits, c)
	}
	s.mu.Unlock()
	if !s.sharded {
		return s.pubsub.Subscribe(s.ctx, channels...)
	}
	// One command a channel: channels of two slots in one are refused.
	for _, c := range channels {
		if err := s.pubsub.SSubscribe(s.ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) Unsubscribe(channels ...string) error {
	s.mu.Lock()
	for _, c := range channels {
		s.quits[c] = true
	}
	s.mu.Unlock()
	if !s.sharded {
		return s.pubsub.Unsubscribe(s.ctx, channels...)
	}
	for _, c := range channels {
		if err := s.pubsub.SUnsubscribe(s.ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) Ping() error { return s.pubsub.Ping(s.ctx) }

var errMoved = errors.New("the server ended a subscription: its slot has moved")

func (s *stream) Receive() (rediscore.Signal, error) {
	for {
		msg, err := s.pubsub.Receive(s.ctx)
		if err != nil {
			return rediscore.Signal{}, err
		}
		switch m := msg.(type) {
		case *redis.Message:
			return rediscore.Signal{Channel: m.Channel, Payload: m.Payload}, nil
		case *redis.Pong:
			return rediscore.Signal{}, nil
		case *redis.Subscription:
			switch m.Kind {
			case "subscribe", "ssubscribe":
				return rediscore.Signal{Channel: m.Channel, Confirmed: true}, nil
			case "sunsubscribe":
				if !s.quit(m.Channel) {
					return rediscore.Signal{}, errMoved
				}
			}
		default:
			return rediscore.Signal{}, fmt.Errorf("unexpected %T from a subscription", msg)
		}
	}
}

func (s *stream) quit(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	mine := s.quits[channel]
	delete(s.quits, channel)
	return mine
}

// Close cuts the connection first: the driver's own Close waits for whatever
// hangs.
func (s *stream) Close() error {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return nil
	}
	s.over = true
	if s.conn != nil {
		_ = s.conn.Close()
	}
	s.mu.Unlock()
	s.cancel()
	if s.client == nil {
		go func() { _ = s.pubsub.Close() }()
		return nil
	}
	_ = s.pubsub.Close()
	return s.client.Close()
}
