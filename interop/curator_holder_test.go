package interop_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

// This test binary, started anew with these set, is a Go service that holds a
// lock on ZooKeeper until it is killed, or told that it has lost it.
const (
	lineServer = "HOLDFAST_INTEROP_LINE_SERVER"
	linePath   = "HOLDFAST_INTEROP_LINE_PATH"
)

func lineHolder(server, path string) int {
	ctx := context.Background()
	c, err := gozk.Connect(ctx, []string{server}, zkcore.WithSessionTimeout(short))
	if err != nil {
		fmt.Println("failed", err)
		return 1
	}
	return holdUntilLost(mutexOn(c, path))
}

// service is a Go process that holds the lock.
func (l *line) service(t *testing.T, path string) *service {
	t.Helper()
	s := l.waiter(t, path)
	s.owner = s.says(t, "holds")
	return s
}

// waiter is a Go process that wants the lock.
func (l *line) waiter(t *testing.T, path string) *service {
	t.Helper()
	return startService(t, lineServer+"="+l.server.Addr(), linePath+"="+path)
}
