//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is ours to lend: the command has a process group of its own, and
// only one group at a time may read from a terminal. It is lent when the
// command asks for it, by reading or by changing its settings, and not before,
// so that a program behind a pipe from us can have it instead.
type terminal struct {
	file  *os.File
	ours  int
	child int
}

// openTerminal is nil when there is none; a nil one can be used.
func openTerminal(child int) *terminal {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	// Or we would be stopped when we take the terminal back. Not before the
	// command was started, which would inherit it.
	signal.Ignore(syscall.SIGTTOU)
	return &terminal{file: f, ours: syscall.Getpgrp(), child: child}
}

// lend gives the terminal to the command if we have it.
func (t *terminal) lend() bool { return t != nil && t.move(t.ours, t.child) }

// takeBack reports whether the command had it.
func (t *terminal) takeBack() bool { return t != nil && t.move(t.child, t.ours) }

func (t *terminal) move(from, to int) bool {
	fd := int(t.file.Fd())
	has, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && has == from && unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, to) == nil
}

func (t *terminal) close() {
	if t == nil {
		return
	}
	t.takeBack()
	_ = t.file.Close()
}

// suspend stops this process and the rest of its job, as Ctrl-Z would have, and
// returns when it runs again. It is false where no shell does job control,
// which is when our group is the session leader's: nobody would wake us.
//
// SIGTSTP would know that by itself, but once the runtime has handled it, it
// cannot be given its default effect again.
func suspend() bool {
	session, err := unix.Getsid(0)
	if err != nil || session == syscall.Getpgrp() {
		return false
	}
	awake := make(chan os.Signal, 1)
	signal.Notify(awake, syscall.SIGCONT)
	defer signal.Stop(awake)
	if syscall.Kill(0, syscall.SIGSTOP) != nil {
		return false
	}
	<-awake
	return true
}
