package stores

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Pair is a primary and its replica.
type Pair struct {
	Primary, Replica *Server
}

// Servers are the two.
func (p *Pair) Servers() []*Server { return []*Server{p.Primary, p.Replica} }

// Close kills both.
func (p *Pair) Close() error { return closeAll(p.Servers()) }

// StartReplica starts a primary and a replica, and returns when the replica
// follows.
func StartReplica(ctx context.Context, dir string, opts ...Option) (*Pair, error) {
	o := collect(opts)
	primary, err := newServer(ctx, dir, "primary", o.with(quickSync...))
	if err != nil {
		return nil, err
	}
	follow := fmt.Sprintf("replicaof 127.0.0.1 %d", primary.Port())
	replica, err := newServer(ctx, dir, "replica", o.with(append(quickSync, follow)...))
	if err != nil {
		return nil, errors.Join(err, primary.Close())
	}
	p := &Pair{Primary: primary, Replica: replica}
	if err := replica.waitFollowing(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Replica is a primary and its replica, for one test.
func Replica(t testing.TB, opts ...Option) *Pair {
	t.Helper()
	return launch(t, StartReplica, opts)
}

// quickSync: a full synchronisation otherwise waits five seconds for more
// replicas to come; and a replica that has not seen a first byte, which comes
// with the first ping, is not shown by CLUSTER SLOTS.
var quickSync = []string{
	"repl-diskless-sync yes",
	"repl-diskless-sync-delay 0",
	"repl-ping-replica-period 1",
}

// waitFollowing returns when the replica has its primary's data.
func (s *Server) waitFollowing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := s.do(func(c *redis.Client) error {
		return poll(ctx, func() error {
			info, err := c.Info(ctx, "replication").Result()
			if err == nil && !strings.Contains(info, "master_link_status:up") {
				err = errors.New("it does not follow its primary")
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("wait for replica %s: %w", s.Addr(), err)
	}
	return nil
}

// Role is what the server takes itself for: "master" or "slave".
func (s *Server) Role(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var role string
	err := s.do(func(c *redis.Client) error {
		reply, err := c.Do(ctx, "ROLE").Slice()
		if err == nil {
			role = fmt.Sprint(reply[0])
		}
		return err
	})
	return role, err
}
