package stores

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// Client is a client for the test's own look at the server, with every right,
// closed with the test. It is a session like any other: it counts as one.
func (s *ZooServer) Client(t testing.TB) *zk.Conn {
	t.Helper()
	c, err := s.connect(t.Context())
	if err != nil {
		t.Fatalf("stores: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// connect waits until the session is there: before, go-zookeeper would hold
// every call back, for ever if need be.
func (s *ZooServer) connect(ctx context.Context) (*zk.Conn, error) {
	c, events, err := zk.Connect([]string{s.Addr()}, 10*time.Second, zk.WithLogger(silent{}))
	if err != nil {
		return nil, fmt.Errorf("connect to zookeeper server %s: %w", s.Addr(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for c.State() != zk.StateHasSession {
		select {
		case <-events:
		case <-ctx.Done():
			c.Close()
			return nil, fmt.Errorf("connect to zookeeper server %s: %w", s.Addr(), ctx.Err())
		}
	}
	if err := c.AddAuth("digest", []byte(ZooSuper)); err != nil {
		c.Close()
		return nil, fmt.Errorf("be super at zookeeper server %s: %w", s.Addr(), err)
	}
	return c, nil
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// ZooNode is one node as the server has it. Stat has its owner and its zxids.
type ZooNode struct {
	Path string
	Data []byte
	Stat zk.Stat
}

// Name is the last part of the path.
func (n ZooNode) Name() string { return path.Base(n.Path) }

// ZooTree is a node and everything below it, each node before its children,
// and those in the order of their names.
type ZooTree []ZooNode

// Paths are the paths of all nodes.
func (tree ZooTree) Paths() []string {
	var list []string
	for _, n := range tree {
		list = append(list, n.Path)
	}
	return list
}

// Tree reads what is at and below a path, in a session of its own; it is empty
// when there is nothing, and leaves out what goes while it reads. The nodes of
// ZooKeeper itself, under /zookeeper, are left out as well.
func (s *ZooServer) Tree(t testing.TB, root string) ZooTree {
	t.Helper()
	c, err := s.connect(t.Context())
	if err != nil {
		t.Fatalf("stores: %v", err)
	}
	defer c.Close()
	tree, err := readTree(c, root)
	if err != nil {
		t.Fatalf("stores: read %s at %s: %v", root, s.Addr(), err)
	}
	return tree
}

func readTree(c *zk.Conn, root string) (ZooTree, error) {
	data, stat, err := c.Get(root)
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tree := ZooTree{{Path: root, Data: data, Stat: *stat}}
	names, _, err := c.Children(root)
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		child := strings.TrimSuffix(root, "/") + "/" + name
		if child == "/zookeeper" {
			continue
		}
		below, err := readTree(c, child)
		if err != nil {
			return nil, err
		}
		tree = append(tree, below...)
	}
	return tree, nil
}
