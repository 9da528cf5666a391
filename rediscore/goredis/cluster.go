package goredis

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/rediscore"
)

// mostHops bounds how many redirections one call follows.
const mostHops = 5

// cluster is a Redis Cluster. Who owns a slot is the user's client's knowledge;
// the connections are ours, one node for each address.
type cluster struct {
	rdb    *redis.ClusterClient
	loaded atomic.Bool

	mu     sync.Mutex
	nodes  map[string]*node
	from   *redis.Options // of any node, for addresses learned from a redirection
	closed bool
}

func newCluster(rdb *redis.ClusterClient) *cluster {
	return &cluster{rdb: rdb, nodes: make(map[string]*node)}
}

// owner is the primary of key's slot, as far as the client knows.
func (c *cluster) owner(ctx context.Context, key string) (*node, error) {
	master, err := c.master(ctx, key)
	if err != nil {
		return nil, &rediscore.SendError{Err: err}
	}
	return c.at(master.Options(), master.Options().Addr)
}

// master asks the user's client. Until that has loaded its view of the cluster
// once it does so in the call, and does not end with ctx.
func (c *cluster) master(ctx context.Context, key string) (*redis.Client, error) {
	if c.loaded.Load() {
		return c.rdb.MasterForKey(ctx, key)
	}
	type found struct {
		client *redis.Client
		err    error
	}
	done := make(chan found, 1)
	go func() {
		m, err := c.rdb.MasterForKey(context.WithoutCancel(ctx), key)
		if err == nil {
			c.loaded.Store(true)
		}
		done <- found{m, err}
	}()
	select {
	case f := <-done:
		return f.client, f.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// at is the node with that address. from nil: options of any other node.
func (c *cluster) at(from *redis.Options, addr string) (*node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &rediscore.SendError{Err: errOver}
	}
	if from != nil {
		c.from = from
	}
	n := c.nodes[addr]
	if n == nil {
		n = newNode(c.from, addr)
		c.nodes[addr] = n
	}
	return n, nil
}

func (c *cluster) Node(key string) string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	master, err := c.master(ctx, key)
	if err != nil {
		return ""
	}
	return master.Options().Addr
}

// Do follows redirections: MOVED for good, ASK for this once.
func (c *cluster) Do(ctx context.Context, key string, cmds ...rediscore.Cmd) ([]rediscore.Reply, error) {
	n, err := c.owner(ctx, key)
	if err != nil {
		return nil, err
	}
	asking := false
	for hop := 0; ; hop++ {
		sent := cmds
		if asking {
			sent = append([]rediscore.Cmd{{"ASKING"}}, cmds...)
		}
		replies, err := n.do(ctx, sent)
		if err != nil {
			c.rdb.ReloadState(ctx)
			return nil, err
		}
		if asking {
			replies = replies[1:]
		}
		kind, addr := redirection(replies[0].Err)
		if kind == "" {
			return replies, nil
		}
		c.rdb.ReloadState(ctx)
		if hop == mostHops || !oneKey(cmds) {
			return replies, nil
		}
		if n, err = c.at(nil, addr); err != nil {
			return nil, err
		}
		asking = kind == "ASK"
	}
}

// redirection reads "MOVED 3999 127.0.0.1:6381".
func redirection(e *rediscore.ServerError) (kind, addr string) {
	if e == nil {
		return "", ""
	}
	words := strings.Fields(e.Text)
	if len(words) != 3 || words[0] != "MOVED" && words[0] != "ASK" || strings.HasPrefix(words[2], ":") {
		return "", ""
	}
	return words[0], words[2]
}

// oneKey: all commands are for the same slot, so one redirection is for all.
func oneKey(cmds []rediscore.Cmd) bool {
	return len(cmds) == 1 || len(cmds) == 2 && cmds[1][0] == "WAIT"
}

func (c *cluster) Listen(ctx context.Context, key string, sharded bool) (rediscore.Stream, error) {
	n, err := c.owner(ctx, key)
	if err != nil {
		return nil, err
	}
	return newStream(n.from, n.addr, sharded), nil
}

func (c *cluster) Shape(ctx context.Context) (rediscore.Shape, error) {
	n, err := c.owner(ctx, "holdfast")
	if err != nil {
		return rediscore.Shape{}, err
	}
	s, err := shapeOf(ctx, n)
	if err != nil {
		c.rdb.ReloadState(ctx)
	}
	s.Cluster = true
	return s, err
}

// Interrupt cuts what is under way.
func (c *cluster) Interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		n.interrupt()
	}
}

func (c *cluster) Close() error {
	c.mu.Lock()
	nodes := c.nodes
	c.nodes, c.closed = nil, true
	c.mu.Unlock()
	for _, n := range nodes {
		n.close()
	}
	return nil
}
