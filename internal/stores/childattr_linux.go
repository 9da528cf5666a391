package stores

import "syscall"

// childAttr: a group of its own, so that an interrupt typed at the terminal
// goes to the launcher alone; and death with the thread that forked it.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
