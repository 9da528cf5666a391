package goredis

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// mostWide bounds the connections for calls that cannot share one.
const mostWide = 8

// node is one server: a lane for the call that is alone, which runs on its
// caller's goroutine; a group for calls that meet, which share writes; and wide
// links for calls of several commands, which are never merged.
type node struct {
	from *redis.Options
	addr string

	lane     *link
	laneBusy chan struct{}
	group    *group

	wide     chan *link // idle ones
	wideMade chan struct{}

	mu     sync.Mutex
	closed bool
	links  []*link
}

func newNode(from *redis.Options, addr string) *node {
	n := &node{
		from: from, addr: addr,
		laneBusy: make(chan struct{}, 1),
		wide:     make(chan *link, mostWide),
		wideMade: make(chan struct{}, mostWide),
	}
	n.lane = n.link()
	n.group = &group{idle: []*link{n.link(), n.link()}}
	return n
}

func (n *node) link() *link {
	l := newLink(n.from, n.addr)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed { // a call that was on its way while the node closed
		l.close()
	} else {
		n.links = append(n.links, l)
	}
	return l
}

func (n *node) do(ctx context.Context, cmds []rediscore.Cmd) ([]rediscore.Reply, error) {
	if ctx.Err() != nil {
		return nil, &rediscore.SendError{Err: context.Cause(ctx)}
	}
	if n.over() {
		return nil, &rediscore.SendError{Err: errOver}
	}
	sent := commands(ctx, cmds)
	if len(cmds) > 1 {
		return n.doWide(ctx, sent)
	}
	select {
	case n.laneBusy <- struct{}{}:
		err := n.lane.exec(ctx, sent)
		<-n.laneBusy
		return replies(ctx, sent, err)
	default:
	}
	return n.group.do(ctx, sent[0])
}

func (n *node) doWide(ctx context.Context, cmds []redis.Cmder) ([]rediscore.Reply, error) {
	var l *link
	select {
	case l = <-n.wide:
	default:
		select {
		case l = <-n.wide:
		case n.wideMade <- struct{}{}:
			l = n.link()
		case <-ctx.Done():
			return nil, &rediscore.SendError{Err: context.Cause(ctx)}
		}
	}
	err := l.exec(ctx, cmds)
	n.wide <- l
	return replies(ctx, cmds, err)
}

func (n *node) over() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed
}

func (n *node) interrupt() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		l.interrupt()
	}
}

func (n *node) close() {
	n.mu.Lock()
	links := n.links
	n.links, n.closed = nil, true
	n.mu.Unlock()
	for _, l := range links {
		l.close()
	}
}

func commands(ctx context.Context, cmds []rediscore.Cmd) []redis.Cmder {
	out := make([]redis.Cmder, len(cmds))
	for i, cmd := range cmds {
		out[i] = once{redis.NewCmd(ctx, cmd...)}
	}
	return out
}
