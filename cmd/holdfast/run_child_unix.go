//go:build unix

package main

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"syscall"
)

// child is the command, the first of a process group of its own.
type child struct {
	pid     int
	stopped chan syscall.Signal // it was stopped, as Ctrl-Z does
	ended   chan struct{}       // closed when it has ended; its group may live on
	status  syscall.WaitStatus
}

// startChild starts the command on our own standard files. One goroutine keeps
// its thread until the command has ended, because the kernel ties the death
// signal of childAttr to the thread that started the command.
func startChild(path string, argv, env []string) (*child, error) {
	c := &child{stopped: make(chan syscall.Signal, 1), ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p, err := os.StartProcess(path, argv, &os.ProcAttr{
			Env: env, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: childAttr(),
		})
		if err == nil {
			c.pid = p.Pid
			_ = p.Release() // waited for by wait, which hears of stops too
		}
		started <- err
		if err == nil {
			c.wait()
		}
	}()
	return c, <-started
}

func (c *child) wait() {
	defer close(c.ended)
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case status.Stopped():
			select {
			case c.stopped <- status.StopSignal():
			default: // the one before was not looked at yet
			}
		default:
			c.status = status
			return
		}
	}
}

// pass passes a signal on.
func (c *child) pass(s os.Signal) {
	number, _ := s.(syscall.Signal)
	if slices.Contains(toGroup, s) {
		c.signalGroup(number)
		return
	}
	c.signal(number)
}

// signal may come too late, and then does nothing.
func (c *child) signal(s syscall.Signal) {
	select {
	case <-c.ended:
	default:
		_ = syscall.Kill(c.pid, s)
	}
}

func (c *child) signalGroup(s syscall.Signal) { _ = syscall.Kill(-c.pid, s) }

// groupLives reports whether a process of the group is left.
func (c *child) groupLives() bool {
	return !errors.Is(syscall.Kill(-c.pid, 0), syscall.ESRCH)
}

// code is the exit code as a shell would give it.
func (c *child) code() int {
	if c.status.Signaled() {
		return exitSignal + int(c.status.Signal())
	}
	return c.status.ExitStatus()
}
