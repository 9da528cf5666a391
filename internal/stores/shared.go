package stores

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// shared is the one server of a test process.
var shared struct {
	mu     sync.Mutex
	inMain bool
	dir    string
	server *Server
}

// Main runs a package's tests, stops the server that Shared started, and
// fails the run when goroutines are left over. It returns the exit code.
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
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if !shared.inMain {
		t.Fatal("stores: Shared needs func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }")
	}
	if shared.server == nil {
		dir, err := os.MkdirTemp("", "holdfast-stores-")
		if err != nil {
			t.Fatalf("stores: %v", err)
		}
		shared.dir = dir
		// Not the test's context: the server outlives it.
		shared.server, err = StartSingle(context.Background(), dir)
		if err != nil {
			t.Fatalf("stores: %v", err)
		}
	}
	return shared.server
}

func closeShared() error {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server != nil {
		if err := shared.server.Close(); err != nil {
			return err
		}
		shared.server = nil
	}
	if shared.dir == "" {
		return nil
	}
	return os.RemoveAll(shared.dir)
}
