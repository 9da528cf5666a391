package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the one server of each kind of a test process.
var shared struct {
	mu     sync.Mutex
	inMain bool
	dir    string
	server *Server
	zoo    *ZooServer
}

// Main runs a package's tests, stops the servers that Shared and
// SharedZooKeeper started, and fails the run when goroutines are left over. It returns the exit code.
func Main(m *testing.M) int {
	shared.mu.Lock()
	shared.inMain = true
	shared.mu.Unlock()

	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, "stores:", err)
		code = max(code, 1)
	}
	if code == 0 {
		if left := leaked(); left != "" {
			fmt.Fprintf(os.Stderr, "stores: goroutines left after the tests:\n\n%s\n", left)
			code = 1
		}
	}
	return code
}

// Shared is one server for all tests of a package, started by the first that
// asks and stopped by Main. Tests keep apart by the names of their keys;
// FlushAll is only for those that do not run in parallel.
func Shared(t testing.TB) *Server {
	t.Helper()
	return share(t, &shared.server, StartSingle)
}

// SharedZooKeeper is one ZooKeeper server for all tests of a package, like
// Shared. Tests keep apart by their paths.
func SharedZooKeeper(t testing.TB) *ZooServer {
	t.Helper()
	return share(t, &shared.zoo, StartZooKeeper)
}

func share[S any](t testing.TB, at **S, start func(context.Context, string, ...Option) (*S, error)) *S {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.inMain {
		t.Fatal("stores: a shared server needs func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }")
	}
	if *at != nil {
		return *at
	}
	if shared.dir == "" {
		dir, err := os.MkdirTemp("", "holdfast-stores-")
		if err != nil {
			t.Fatalf("stores: %v", err)
		}
		shared.dir = dir
	}
	// Not the test's context: the server outlives it.
	s, err := start(context.Background(), shared.dir)
	if err != nil {
		t.Fatalf("stores: %v", err)
	}
	*at = s
	return s
}

func closeShared() error {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	var err error
	if shared.server != nil {
		err = shared.server.Close()
	}
	if shared.zoo != nil {
		err = errors.Join(err, shared.zoo.Close())
	}
	shared.server, shared.zoo = nil, nil
	if err != nil || shared.dir == "" {
		return err
	}
	return os.RemoveAll(shared.dir)
}
