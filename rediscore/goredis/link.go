package goredis

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/holdfast-go/holdfast/internal/limit"
)

// longestDial bounds how long a new connection may take.
const longestDial = 3 * time.Second

// link is a client with one connection, which a context that ends can cut: the
// driver itself does not interrupt a request when its context is cancelled.
type link struct {
	client    *redis.Client
	connected bool // the last call was answered; of whoever has the link

	mu   sync.Mutex
	conn net.Conn
	busy bool
	call uint64 // the one under way; an end of an earlier one must not cut it
}

func newLink(from *redis.Options, addr string) *link {
	l := &link{}
	opt := ours(from, addr)
	dial := opt.Dialer
	opt.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return deadConn{err}, nil
		}
		l.mu.Lock()
		l.conn = conn
		l.mu.Unlock()
		return conn, nil
	}
	l.client = redis.NewClient(opt)
	return l
}

// ours are the user's options where they say how to reach the server, and our
// own where they say how to use it.
func ours(from *redis.Options, addr string) *redis.Options {
	opt := *from
	if addr != "" {
		opt.Addr, opt.NodeAddress = addr, addr
	}
	if opt.Dialer == nil {
		opt.Dialer = redis.NewDialer(&opt)
	}
	opt.Protocol = 2
	opt.MaxRetries = -1
	opt.PoolSize, opt.PipelinePoolSize = 1, -1
	opt.MinIdleConns, opt.MaxIdleConns, opt.MaxActiveConns = 0, 0, 0
	opt.ContextTimeoutEnabled = true
	opt.ReadTimeout, opt.WriteTimeout = -1, -1
	opt.PoolTimeout = time.Minute
	opt.DialTimeout = min(opt.DialTimeout, longestDial)
	opt.DialerRetries = 1
	opt.DisableIdentity = true
	opt.Limiter = nil
	opt.PushNotificationProcessor = nil
	opt.ClientSideCacheConfig, opt.ClientSideCache = nil, nil
	opt.AutoPipelineOptions = nil
	opt.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &opt
}

// exec sends cmds in one write and reads their replies, on the caller's
// goroutine. The error is that of the connection, or of the first command that
// has one.
func (l *link) exec(ctx context.Context, cmds []redis.Cmder) error {
	call, parent := ctx, ctx
	if l.connected {
		// The driver ends I/O at a deadline by itself, so only the end of the
		// parent has to cut the connection. It does not end a dial so.
		call, parent = limit.Split(ctx)
	}
	defer l.guard(parent)()
	err := l.send(call, cmds)
	var answer redis.Error
	l.connected = err == nil || errors.As(err, &answer)
	return err
}

func (l *link) send(ctx context.Context, cmds []redis.Cmder) error {
	if len(cmds) == 1 {
		return l.client.Process(ctx, cmds[0])
	}
	pipe := l.client.Pipeline()
	for _, cmd := range cmds {
		_ = pipe.Process(ctx, cmd)
	}
	_, err := pipe.Exec(ctx)
	return err
}

// guard cuts the connection if ctx ends before the returned function is called.
func (l *link) guard(ctx context.Context) func() {
	l.mu.Lock()
	mine := l.call
	l.busy = true
	l.mu.Unlock()
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.call == mine {
				l.cut()
			}
		})
	}
	return func() {
		stop()
		l.mu.Lock()
		l.call++
		l.busy = false
		l.mu.Unlock()
	}
}

func (l *link) cut() {
	if l.conn != nil {
		_ = l.conn.Close()
	}
}

// interrupt cuts the connection if a request is under way.
func (l *link) interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy {
		l.cut()
	}
}

func (l *link) close() {
	l.mu.Lock()
	l.cut()
	l.mu.Unlock()
	_ = l.client.Close()
}

// once is a command that the driver does not send again by itself.
type once struct{ *redis.Cmd }

// NoRetry is asked by the driver.
func (once) NoRetry() bool { return true }

var errOver = errors.New("the connection is over")
