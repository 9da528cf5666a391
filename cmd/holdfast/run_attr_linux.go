package main

import "syscall"

// childAttr: a group of its own, so that everything the command started can be
// stopped with it; and TERM when this process is killed, since nobody renews
// the lock then.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
