package peer

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// TestMain plays the test process that is killed, when it is started as one.
func TestMain(m *testing.M) {
	if addr := os.Getenv("PEER_TEST_ORPHAN"); addr != "" {
		orphan(addr)
	}
	os.Exit(m.Run())
}

// orphan starts a peer, says its process id, and waits to be killed.
func orphan(addr string) {
	p, err := Redisson{Addrs: []string{addr}}.Start(context.Background())
	if err == nil && os.Getenv("PEER_TEST_PAUSED") != "" {
		err = p.Pause()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.cmd.Process.Pid)
	select {}
}

func TestPeerDiesWithTheTestProcess(t *testing.T) {
	for _, paused := range []string{"", "yes"} {
		t.Run("paused="+paused, func(t *testing.T) {
			server := stores.Single(t)
			parent := exec.Command(os.Args[0])
			parent.Env = append(os.Environ(), "PEER_TEST_ORPHAN="+server.Addr(), "PEER_TEST_PAUSED="+paused)
			out, err := parent.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, parent.Start())
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err, line)
			require.True(t, alive(pid))

			require.NoError(t, parent.Process.Kill())
			_ = parent.Wait() // "signal: killed"
			require.Eventually(t, func() bool { return !alive(pid) }, soon, 10*time.Millisecond)
		})
	}
}

// alive is false for a process that has ended but that nobody waits for, too.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.IsNotExist(err) && syscall.Kill(pid, 0) == nil // a system without /proc
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
