package interop_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// This test binary, started anew with these set, is a Go service that holds a
// lock until it is killed, or told that it has lost it.
const (
	holderAddr   = "HOLDFAST_INTEROP_HOLDER_ADDR"
	holderName   = "HOLDFAST_INTEROP_HOLDER_NAME"
	holderLayout = "HOLDFAST_INTEROP_HOLDER_LAYOUT"
)

func holder(addr, name, layout string) int {
	c, err := goredis.New(redis.NewClient(&redis.Options{Addr: addr}), rediscore.WithWatchdogLease(watchdog))
	if err != nil {
		fmt.Println("failed", err)
		return 1
	}
	opts := hash.opts
	if layout == fenced.name {
		opts = fenced.opts
	}
	return holdUntilLost(mutex.NewRedis(c, name, opts...))
}

func holdUntilLost(m *mutex.Mutex) int {
	go func() { // nobody outlives the test
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	h, err := m.Lock(context.Background())
	if err != nil {
		fmt.Println("failed", err)
		return 1
	}
	fmt.Println("holds", h.Owner())
	<-h.Done()
	fmt.Println("lost", h.Err())
	fmt.Println("released", h.Release(context.Background()))
	return 0
}

// service is a Go process that holds a lock.
type service struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	owner string
}

func (p *pair) service(t *testing.T, name string) *service {
	t.Helper()
	s := startService(t, holderAddr+"="+p.settings.Addrs[0], holderName+"="+name, holderLayout+"="+p.layout.name)
	s.owner = s.says(t, "holds")
	return s
}

func startService(t *testing.T, env ...string) *service {
	t.Helper()
	s := &service{cmd: exec.Command(os.Args[0])}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	s.lines = bufio.NewScanner(out)
	return s
}

// says is the rest of its next line, which begins with a word.
func (s *service) says(t *testing.T, word string) string {
	t.Helper()
	require.True(t, s.lines.Scan(), "the Go service has ended: %v", s.lines.Err())
	rest, ok := strings.CutPrefix(s.lines.Text(), word+" ")
	require.True(t, ok, s.lines.Text())
	return rest
}

func (s *service) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Kill())
	require.Error(t, s.cmd.Wait(), "killed")
}

func (s *service) signal(t *testing.T, what syscall.Signal) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(what))
}
