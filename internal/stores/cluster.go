package stores

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

const (
	clusterOn = "cluster-enabled yes"
	slots     = 16384
	shards    = 3
)

// Nodes is a cluster of three primaries, with one replica each if asked for.
type Nodes struct {
	mu        sync.Mutex
	primaries []*Server
	replicas  []*Server // replicas[i] follows primaries[i]
}

// Primaries are the primaries. The first owns slots 0 to 5460, the second to
// 10921, the third to 16383, unless slots were moved.
func (n *Nodes) Primaries() []*Server { return n.copy(&n.primaries) }

// Replicas are the replicas in the order of their primaries, or none.
func (n *Nodes) Replicas() []*Server { return n.copy(&n.replicas) }

func (n *Nodes) copy(list *[]*Server) []*Server {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*Server(nil), *list...)
}

// Servers are the primaries, then the replicas.
func (n *Nodes) Servers() []*Server { return append(n.Primaries(), n.Replicas()...) }

// Addrs are the addresses of all, to give to a cluster client.
func (n *Nodes) Addrs() []string { return addrs(n.Servers()) }

// Close kills them all.
func (n *Nodes) Close() error { return closeAll(n.Servers()) }

// StartCluster starts a cluster, and returns when every node takes it for
// complete and every replica follows.
func StartCluster(ctx context.Context, dir string, opts ...Option) (*Nodes, error) {
	n := &Nodes{}
	o := collect(opts)
	conf := append([]string{clusterOn, "cluster-node-timeout 3000"}, quickSync...)
	total := shards
	if o.replicas {
		total = 2 * shards
	}
	for i := range total {
		s, err := newServer(ctx, dir, fmt.Sprintf("node-%d", i+1), o.with(conf...))
		if err != nil {
			return nil, errors.Join(err, n.Close())
		}
		if i < shards {
			n.primaries = append(n.primaries, s)
		} else {
			n.replicas = append(n.replicas, s)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := n.form(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("form a cluster: %w", err), n.Close())
	}
	return n, nil
}

// Cluster is a cluster, for one test.
func Cluster(t testing.TB, opts ...Option) *Nodes {
	t.Helper()
	return launch(t, StartCluster, opts)
}

// form makes a cluster of lone nodes: epochs and slots first, while nobody
// can object; then they meet; then the replicas, which must know the node
// they are to follow.
func (n *Nodes) form(ctx context.Context) error {
	for i, s := range n.Servers() {
		err := s.do(func(c *redis.Client) error {
			if err := c.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
				return err
			}
			if i < shards {
				return c.ClusterAddSlotsRange(ctx, i*slots/shards, (i+1)*slots/shards-1).Err()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := n.meet(ctx); err != nil {
		return err
	}
	if err := n.each(ctx, n.Servers(), n.complete); err != nil {
		return err
	}
	for i, r := range n.Replicas() {
		err := n.follow(ctx, r, n.primaries[i])
		if err != nil {
			return err
		}
	}
	return n.waitReplicasKnown(ctx)
}

func (n *Nodes) meet(ctx context.Context) error {
	first := n.primaries[0]
	for _, s := range n.Servers()[1:] {
		err := s.do(func(c *redis.Client) error {
			meet := []any{"CLUSTER", "MEET", "127.0.0.1", first.Port()}
			if len(first.ports) == 2 {
				meet = append(meet, first.ports[1].Number())
			}
			return c.Do(ctx, meet...).Err()
		})
		if err != nil {
			return fmt.Errorf("introduce %s: %w", s.Addr(), err)
		}
	}
	return nil
}

func (n *Nodes) follow(ctx context.Context, replica, primary *Server) error {
	id, err := primary.nodeID(ctx)
	if err != nil {
		return err
	}
	err = replica.do(func(c *redis.Client) error { return c.ClusterReplicate(ctx, id).Err() })
	if err != nil {
		return fmt.Errorf("make %s follow %s: %w", replica.Addr(), primary.Addr(), err)
	}
	return replica.waitFollowing(ctx)
}

func (s *Server) nodeID(ctx context.Context) (id string, err error) {
	err = s.do(func(c *redis.Client) error {
		id, err = c.Do(ctx, "CLUSTER", "MYID").Text()
		return err
	})
	return id, err
}

// each polls a condition on every one of the servers.
func (n *Nodes) each(ctx context.Context, servers []*Server, ok func(context.Context, *redis.Client) error) error {
	for _, s := range servers {
		err := s.do(func(c *redis.Client) error {
			return poll(ctx, func() error { return ok(ctx, c) })
		})
		if err != nil {
			return fmt.Errorf("wait for node %s: %w", s.Addr(), err)
		}
	}
	return nil
}

// waitReplicasKnown: a primary that has not heard yet whom a node follows
// ignores that node's request to take over.
func (n *Nodes) waitReplicasKnown(ctx context.Context) error {
	for _, s := range n.Servers() {
		err := poll(ctx, func() error {
			ranges, err := s.slotRanges(ctx)
			for _, r := range ranges {
				if r.replicas < len(n.Replicas())/shards {
					err = fmt.Errorf("%s does not know the replica of %s", s.Addr(), r.primary)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// complete: this node sees every slot served, and every node.
func (n *Nodes) complete(ctx context.Context, c *redis.Client) error {
	info, err := c.ClusterInfo(ctx).Result()
	if err != nil {
		return err
	}
	known := "cluster_known_nodes:" + strconv.Itoa(len(n.Servers())) + "\r\n"
	if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, known) {
		return fmt.Errorf("cluster not complete: %q", info)
	}
	return nil
}
