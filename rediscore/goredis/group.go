package goredis

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// mostGrouped bounds one write, so that its first caller does not wait for too
// many others.
const mostGrouped = 128

// group commits: calls that meet at one server hand their commands to a writer,
// which sends what has gathered in one write. Each caller waits for its own
// reply or its own context. There are two writers, so that the server has one
// write to work at while the client makes the other.
type group struct {
	mu    sync.Mutex
	queue []*member
	idle  []*link // of writers that are not running
}

// member is one call in a group.
type member struct {
	cmd   redis.Cmder
	state atomic.Int32
	done  chan struct{}
	err   error
	batch *atomic.Int64 // callers still waiting for the write it is in
	stop  context.CancelFunc
}

const (
	queued int32 = iota
	taken
	left
)

func (g *group) do(ctx context.Context, cmd redis.Cmder) ([]rediscore.Reply, error) {
	m := &member{cmd: cmd, done: make(chan struct{})}
	g.mu.Lock()
	g.queue = append(g.queue, m)
	if n := len(g.idle); n > 0 {
		go g.run(g.idle[n-1])
		g.idle = g.idle[:n-1]
	}
	g.mu.Unlock()
	select {
	case <-m.done:
		return replies(ctx, []redis.Cmder{cmd}, m.err)
	case <-ctx.Done():
	}
	if m.state.CompareAndSwap(queued, left) {
		return nil, &rediscore.SendError{Err: context.Cause(ctx)}
	}
	// It is being sent. When nobody waits for that write any more it is cut.
	if m.batch.Add(-1) == 0 {
		m.stop()
	}
	return nil, &rediscore.SendError{Sent: true, Err: context.Cause(ctx)}
}

func (g *group) run(l *link) {
	for {
		members := g.gather(l)
		if members == nil {
			return
		}
		write(l, members)
	}
}

// gather takes what is to be sent next; nil ends the writer of l.
func (g *group) gather(l *link) []*member {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.queue), mostGrouped)
	if n == 0 {
		g.idle = append(g.idle, l)
		return nil
	}
	some := g.queue[:n:n]
	g.queue = g.queue[n:]
	return some
}

func write(l *link, members []*member) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	waiting := new(atomic.Int64)
	waiting.Store(int64(len(members)))
	cmds := make([]redis.Cmder, 0, len(members))
	sent := members[:0:len(members)]
	for _, m := range members {
		m.batch, m.stop = waiting, cancel
		if m.state.CompareAndSwap(queued, taken) {
			cmds = append(cmds, m.cmd)
			sent = append(sent, m)
		} else {
			waiting.Add(-1)
		}
	}
	if len(cmds) == 0 {
		return
	}
	err := l.exec(ctx, cmds)
	for _, m := range sent {
		if m.err = err; len(cmds) > 1 {
			m.err = m.cmd.Err()
		}
		close(m.done)
	}
}
