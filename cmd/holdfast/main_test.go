package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// The tests run the command as users do: the program that TestMain builds.

var (
	program    string
	buildFlags = []string{"build"} // and -race, when the tests are run with it
)

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holdfast-command-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "holdfast")
	out, err := exec.Command("go", append(buildFlags, "-o", program, ".")...).CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, out)
		return 1
	}
	return stores.Main(m)
}

// patience is for a busy machine; nothing normally takes a tenth of it.
const (
	patience = 20 * time.Second
	often    = 5 * time.Millisecond
)

// running is one run of the program.
type running struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err text
	ended    chan struct{}
}

// text is output that is read while it is written.
type text struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (x *text) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.buf.Write(p)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.buf.String()
}

// start runs the program with a clean environment and these arguments. Leading
// arguments of the form NAME=value are added to the environment.
func start(t *testing.T, args ...string) *running {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
	for len(args) > 0 && strings.Contains(args[0], "=") && !strings.HasPrefix(args[0], "-") {
		env, args = append(env, args[0]), args[1:]
	}
	cmd := exec.Command(program, args...)
	cmd.Env = env
	return launch(t, cmd)
}

// launch makes sure that the program has ended when the test has, and that
// nothing waits for an output that a stray process keeps open.
func launch(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd, ended: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout, cmd.Stderr = &r.out, &r.err
	}
	cmd.WaitDelay = patience
	require.NoError(t, cmd.Start())
	go func() {
		defer close(r.ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-r.ended
	})
	return r
}

// code waits for the end and is the exit code.
func (r *running) code() int {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.t.Fatalf("%v has not ended\nstdout: %s\nstderr: %s", r.cmd.Args, r.out.String(), r.err.String())
	}
	return r.cmd.ProcessState.ExitCode()
}

// ends requires that exit code.
func (r *running) ends(code int) {
	r.t.Helper()
	require.Equal(r.t, code, r.code(), "stdout: %s\nstderr: %s", r.out.String(), r.err.String())
}

// says waits until the program has printed that.
func (r *running) says(want string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return strings.Contains(r.out.String(), want) }, patience, often,
		"the output never had %q\nstderr: %s", want, r.err.String())
}

func (r *running) signal(s syscall.Signal) {
	r.t.Helper()
	require.NoError(r.t, r.cmd.Process.Signal(s))
}

// lockName is a name of the test's own.
func lockName(t *testing.T) string { return strings.ReplaceAll(t.Name(), "/", "-") }

// foreign lets a test put data of its own under its lock's name; it goes with
// the test.
func foreign(t *testing.T, s *stores.Server) *redis.Client {
	t.Helper()
	db := s.Client(t)
	t.Cleanup(func() { db.Del(context.WithoutCancel(t.Context()), lockName(t)) })
	return db
}

// fieldOf is the number behind key= in the output.
func fieldOf(t *testing.T, out, key string) string {
	t.Helper()
	for _, word := range strings.Fields(out) {
		if value, ok := strings.CutPrefix(word, key+"="); ok {
			return value
		}
	}
	t.Fatalf("no %s= in %q", key, out)
	return ""
}

// keysOf are the keys of a lock that hold something: marks of undone owners and
// the token counter, which stay by design, are no hold.
func keysOf(t *testing.T, s *stores.Server, name string) []string {
	t.Helper()
	keys, err := s.Client(t).Keys(t.Context(), "*"+name+"*").Result()
	require.NoError(t, err)
	var left []string
	for _, k := range keys {
		if !strings.HasSuffix(k, ":undone") && !strings.HasPrefix(k, "redisson_lock_token:") {
			left = append(left, k)
		}
	}
	return left
}

func nothingLeft(t *testing.T, s *stores.Server, name string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(keysOf(t, s, name)) == 0 }, patience, often)
}
