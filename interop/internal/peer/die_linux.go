package peer

import (
	"os/exec"
	"syscall"
)

// dieWithParent covers what the end of stdin does not: a peer that is paused
// when the test's process is killed. Linux sends the signal when the thread
// that started the child ends, so the caller has to stay on that thread.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
