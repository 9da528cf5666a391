package stores

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// StartSingle starts one server with its files under dir.
func StartSingle(ctx context.Context, dir string, opts ...Option) (*Server, error) {
	return newServer(ctx, dir, "single", collect(opts))
}

// Single is one server, for one test.
func Single(t testing.TB, opts ...Option) *Server {
	t.Helper()
	return launch(t, StartSingle, opts)
}

// Group is several servers that know nothing of each other.
type Group struct{ list []*Server }

// Servers are the servers, in the order they were started.
func (g *Group) Servers() []*Server { return g.list }

// Close kills them all.
func (g *Group) Close() error { return closeAll(g.list) }

// StartIndependent starts n servers with their files under dir.
func StartIndependent(ctx context.Context, dir string, n int, opts ...Option) (*Group, error) {
	g := &Group{}
	for i := range n {
		s, err := newServer(ctx, dir, fmt.Sprintf("independent-%d", i+1), collect(opts))
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.list = append(g.list, s)
	}
	return g, nil
}

// Independent is n servers that know nothing of each other, for one test.
func Independent(t testing.TB, n int, opts ...Option) []*Server {
	t.Helper()
	start := func(ctx context.Context, dir string, opts ...Option) (*Group, error) {
		return StartIndependent(ctx, dir, n, opts...)
	}
	return launch(t, start, opts).list
}
