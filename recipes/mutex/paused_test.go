package mutex_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

const holderAddr, holderName = "HOLDFAST_TEST_HOLDER_ADDR", "HOLDFAST_TEST_HOLDER_NAME"

// TestHolderProcess is no test: it is the program that the tests below run as
// another process, to be paused and killed. It says what it sees of its hold.
func TestHolderProcess(t *testing.T) {
	addr := os.Getenv(holderAddr)
	if addr == "" {
		return
	}
	c := connect(t, addr)
	h, err := mutex.NewRedis(c, os.Getenv(holderName)).Lock(t.Context())
	require.NoError(t, err)
	fmt.Println("held", h.Owner())
	for last := time.Now(); ; last = time.Now() {
		time.Sleep(time.Millisecond) // lets others run; nothing waits for it
		err := h.Err()
		if gap := time.Since(last); gap > lease/4 {
			fmt.Println("paused", gap.Round(time.Millisecond), "lost", err != nil)
		}
		if err != nil {
			fmt.Println("over", err)
			return
		}
	}
}

type holderProcess struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func startHolder(t *testing.T, r *rig) *holderProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolderProcess$", "-test.v=false")
	cmd.Env = append(os.Environ(), holderAddr+"="+r.server.Addr(), holderName+"="+r.name)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p := &holderProcess{cmd: cmd, out: bufio.NewScanner(pipe)}
	p.says(t, "held")
	return p
}

// says reads up to a line that begins with a word.
func (p *holderProcess) says(t *testing.T, word string) string {
	t.Helper()
	for p.out.Scan() {
		if strings.HasPrefix(p.out.Text(), word) {
			return p.out.Text()
		}
	}
	require.Fail(t, "the holder ended without saying "+word)
	return ""
}

func (p *holderProcess) pause(t *testing.T, d time.Duration) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
	pass(d)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGCONT))
}

func TestBL23ProcessPausedForHalfALeaseKeepsItsHold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := startHolder(t, r)
	for range 3 {
		eventually(t, "renewed", func() bool {
			ttl, err := r.oracle.PTTL(t.Context(), r.name).Result()
			return err == nil && ttl > lease*9/10
		})
		p.pause(t, lease/2)
		require.Contains(t, p.says(t, "paused"), "lost false")
	}
	require.Len(t, r.levels(), 1)
}

// What a paused holder is told first when it goes on is that it lost.
func TestBL23ProcessPausedForTwoLeasesIsToldFirst(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	other := r.straight()
	p := startHolder(t, r)
	entered := make(chan *recipes.Hold, 1)
	end := r.wait(t.Context(), other, entered)
	p.pause(t, 2*lease)
	require.Contains(t, p.says(t, "paused"), "lost true")
	require.Contains(t, p.says(t, "over"), "lost")
	require.NoError(t, end())
	release(t, <-entered)
	require.Empty(t, r.levels())
}

func TestKilledHolderBlocksTheNextForItsLeaseAtMost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := startHolder(t, r)
	entered := make(chan *recipes.Hold, 1)
	end := r.wait(t.Context(), r.straight(), entered)
	require.NoError(t, p.cmd.Process.Kill())
	killed := time.Now()
	require.NoError(t, end())
	require.Less(t, time.Since(killed), lease+slack)
	release(t, <-entered)
}

// BL-03: processes of one image, started together, are strangers.
func TestBL03ProcessesOfOneImageAreStrangers(t *testing.T) {
	t.Parallel()
	owners := make(map[string]bool)
	for i := range 5 {
		r := newRig(t)
		r.name = fmt.Sprint(r.name, i)
		startHolder(t, r)
		for owner := range r.levels() {
			client, _, _ := strings.Cut(owner, ":")
			require.False(t, owners[client], "two processes are one client")
			owners[client] = true
		}
	}
	require.Len(t, owners, 5)
}

// A user's client that retries, cancels nothing, reads from replicas and runs
// hooks: none of it reaches a lock.
func TestClientSettingsDoNotReachLocks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rdb := redis.NewClient(&redis.Options{
		Addr: r.proxy.Addr(), MaxRetries: 10, ReadTimeout: time.Hour, PoolSize: 1, MinIdleConns: 1,
		ContextTimeoutEnabled: false, Protocol: 3,
	})
	m := r.warm(mutex.NewRedis(clientOf(t, rdb, withLease(30*time.Second)), r.name))
	_, err := rdb.Ping(t.Context()).Result()
	require.NoError(t, err)
	require.NoError(t, r.server.Client(t).Ping(t.Context()).Err())
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	r.proxy.Blackhole(faultproxy.Both, true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = m.Lock(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(start), 100*time.Millisecond+soon)
	r.proxy.Blackhole(faultproxy.Both, false)
	r.proxy.Cut()
	release(t, h)
}
