package main_test

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// idle is a shell loop that runs traps soon. Its sleeps do not hold the output
// open.
const idle = `echo ready; while :; do sleep 0.05 >/dev/null 2>&1; done`

func TestSignalsReachTheCommand(t *testing.T) {
	s := stores.Shared(t)
	for name, sig := range map[string]syscall.Signal{
		"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM,
		"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "ALRM": syscall.SIGALRM, "WINCH": syscall.SIGWINCH,
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, under(t, s, "--", "sh", "-c", `trap 'echo got it; exit 9' `+name+`; `+idle)...)
			r.says("ready")
			r.signal(sig)
			r.ends(9)
			require.Contains(t, r.out.String(), "got it")
			require.Empty(t, r.err.String())
			require.Empty(t, keysOf(t, s, lockName(t)))
		})
	}
}

func TestTermReachesTheWholeGroup(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, "--", "sh", "-c", `sleep 1000 & echo child=$!; wait`)...)
	r.says("child=")
	r.signal(syscall.SIGTERM)
	r.ends(128 + 15)
	gone(t, fieldOf(t, r.out.String(), "child"))
}

func TestASignalThatMayBeHandledLeavesHelpersAlone(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, "--", "sh", "-c",
		`trap 'kill -0 $child && echo alive; kill $child; exit 9' USR1; sleep 1000 & child=$!; `+idle)...)
	r.says("ready")
	r.signal(syscall.SIGUSR1)
	r.ends(9)
	require.Contains(t, r.out.String(), "alive")
}

func TestAnIgnoredSignalStaysIgnored(t *testing.T) {
	s := stores.Shared(t)
	args := under(t, s, "--", "sh", "-c", `kill -HUP $$; echo alive; exec sleep 1000`)
	r := launch(t, exec.Command("sh", append([]string{"-c", `trap '' HUP; exec "$0" "$@"`, program}, args...)...))
	r.says("alive")
	r.signal(syscall.SIGHUP)
	r.endsOnTerm()
}

func TestAKilledRunTakesItsCommandWithIt(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, under(t, s, "--watchdog-lease", "500ms", "--", "sh", "-c", `echo child=$$; exec sleep 1000`)...)
	r.says("child=")
	r.signal(syscall.SIGKILL)
	r.ends(-1)
	gone(t, fieldOf(t, r.out.String(), "child"))
	nothingLeft(t, s, lockName(t)) // with the lease
}

// gone waits until the process has ended; one that nobody has waited for yet
// has.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		if syscall.Kill(n, 0) != nil {
			return true
		}
		out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		return err != nil || strings.HasPrefix(string(out), "Z")
	}, patience, often, "process %s is still there", pid)
}
