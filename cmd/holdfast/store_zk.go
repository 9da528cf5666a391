package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

type zkStore struct {
	servers   []string
	namespace string // with its slash, or empty
	opts      []zkcore.Option
	client    atomic.Pointer[zkcore.Client] // once it is open

	mu  sync.Mutex
	raw zkcore.Session // see session
}

func (c *connection) zooKeeper(addrs []string, s survival) (store, error) {
	switch {
	case given(c.redisFlags):
		return nil, errors.New("--username, --db, --cluster and --sentinel-master are for Redis")
	case s.lease != nil:
		return nil, errors.New("--watchdog-lease is for Redis; with --zk it is --session-timeout")
	}
	opts, err := c.zkOptions()
	if err != nil {
		return nil, err
	}
	z := &zkStore{opts: opts}
	for _, a := range addrs {
		if strings.Contains(a, "/") {
			return nil, fmt.Errorf("--zk %q: a path in front of every name is --namespace", a)
		}
		if a, err = hostPort("--zk", a, "2181"); err != nil {
			return nil, err
		}
		z.servers = append(z.servers, a)
	}
	if s.session != nil {
		z.opts = append(z.opts, zkcore.WithSessionTimeout(*s.session))
	}
	if prefix := strings.Trim(c.Namespace, "/"); prefix != "" {
		z.namespace = "/" + prefix
		z.opts = append(z.opts, zkcore.WithNamespace(z.namespace))
	}
	config, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	if config != nil {
		z.opts = append(z.opts, zkcore.WithDialer((&tls.Dialer{Config: config}).DialContext))
	}
	return z, nil
}

func (z *zkStore) String() string { return "ZooKeeper at " + strings.Join(z.servers, ", ") }

// open waits for a session until ctx ends.
func (z *zkStore) open(ctx context.Context) error {
	c, err := gozk.Connect(ctx, z.servers, z.opts...)
	if err == nil {
		z.client.Store(c)
	}
	return err
}

// reach may be asked while open is under way.
func (z *zkStore) reach(ctx context.Context) error {
	if z.client.Load() != nil {
		return nil
	}
	c, err := gozk.Connect(ctx, z.servers, z.opts...)
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

func (z *zkStore) lock(k kind, path string, heard func(*recipes.Hold)) recipes.Locker {
	return k.zk(z.client.Load(), path, heard)
}

func (z *zkStore) close(ctx context.Context) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.raw != nil {
		_ = z.raw.Close(true)
	}
	if c := z.client.Load(); c != nil {
		return c.Close(ctx)
	}
	return nil
}

// session is one for what is no lock, beside that of the locks.
func (z *zkStore) session(ctx context.Context) (zkcore.Session, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.raw != nil {
		return z.raw, nil
	}
	dialer, set, _ := z.client.Load().Internals()
	s, err := dialer.Dial(ctx, set.SessionTimeout, func(bool) {})
	if err == nil {
		z.raw = s
	}
	return s, err
}

// do asks for ops in one flight; the result is that of the last.
func (z *zkStore) do(ctx context.Context, ops ...zkcore.Op) (zkcore.Result, error) {
	s, err := z.session(ctx)
	if err != nil {
		return zkcore.Result{}, err
	}
	out, err := s.Do(ctx, ops...)
	for _, r := range out {
		if err == nil {
			err = r.Err
		}
	}
	return out[len(ops)-1], err
}

// details reads the nodes of all contenders. One that has gone meanwhile has
// none.
func (z *zkStore) details(ctx context.Context, k kind, s recipes.Status) (map[string]detail, error) {
	var owners []string
	for _, h := range s.Holders {
		owners = append(owners, h.ID)
	}
	for _, w := range s.Waiters {
		owners = append(owners, w.ID)
	}
	all := make(map[string]detail, len(owners))
	for _, owner := range owners {
		got, err := z.do(ctx, zkcore.Op{Kind: zkcore.Get, Path: z.namespace + s.Name + "/" + k.node(owner)})
		switch {
		case zkcore.NoNode.Is(err):
			continue
		case err != nil:
			return nil, fmt.Errorf("read the node of %q: %w", owner, err)
		}
		d := detail{session: got.Stat.Owner, czxid: got.Stat.Czxid}
		// The data is an address, unless it is the owner itself or a request.
		if text := string(got.Data); text != owner && net.ParseIP(text) != nil {
			d.host = text
		}
		all[owner] = d
	}
	return all, nil
}
