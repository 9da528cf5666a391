package stores_test

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

const asLauncher = "HOLDFAST_TEST_LAUNCHER"

// launchAndWait is the other process of TestServersDieWithTheirLauncher.
func launchAndWait() {
	dir := os.Getenv(asLauncher)
	s, err := stores.StartSingle(context.Background(), dir)
	fmt.Println(s.Pid(), err)
	z, err := stores.StartZooKeeper(context.Background(), dir)
	fmt.Println(z.Pid(), err)
	select {}
}

func TestServersDieWithTheirLauncher(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asLauncher+"="+t.TempDir())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var pids []int
	in := bufio.NewReader(out)
	for range 2 {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "<nil>")
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, 0), "it runs")
		pids = append(pids, pid)
	}

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // "signal: killed"
	for _, pid := range pids {
		require.Eventually(t, func() bool { return gone(pid) }, patience, 10*time.Millisecond)
	}
}

// gone is also true for a process that has ended and that its new parent has
// not waited for.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}
