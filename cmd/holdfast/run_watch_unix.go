//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// watch is the time from the command's start to its end.
type watch struct {
	*output
	child    *child
	hold     *recipes.Hold
	signals  chan os.Signal
	asked    requests // to let go
	grace    time.Duration
	tty      *terminal
	stopping bool // the lock was lost: the group has got TERM

	kill <-chan time.Time // when the grace is over
}

// untilEnd returns the command's exit code when it has ended; after a loss,
// when nothing of its group is left.
func (w *watch) untilEnd() int {
	w.tty = openTerminal(w.child.pid)
	defer w.tty.close()
	if !signal.Ignored(syscall.SIGTSTP) {
		// Ctrl-Z must not stop us and let the command run on without renewals.
		signal.Notify(w.signals, syscall.SIGTSTP)
	}
	lost, ended := w.hold.Done(), w.child.ended
	var look <-chan time.Time
	for {
		select {
		case sig := <-w.signals:
			w.child.pass(sig)
		case sig := <-w.child.stopped:
			w.pause(sig)
		case <-w.asked:
			w.letGo()
		case <-lost:
			lost = nil
			w.stop()
		case <-w.kill:
			w.kill = nil
			w.say("the command did not end in %v: killed", w.grace)
			w.child.signalGroup(syscall.SIGKILL)
		case <-ended:
			ended = nil
			if w.hold.Err() != nil && !w.stopping {
				w.stop()
			}
			look = w.lookAgain()
		case <-look:
			look = w.lookAgain()
		}
		if ended == nil && look == nil {
			return w.child.code()
		}
	}
}

// stop is what a loss asks for. The kernel keeps TERM for a process that is
// stopped until it runs again.
func (w *watch) stop() {
	w.stopping = true
	w.say("%v; stopping the command", w.hold.Err())
	w.child.signalGroup(syscall.SIGTERM)
	w.child.signalGroup(syscall.SIGCONT)
	w.kill = time.After(w.grace)
}

// letGo is what a request asks for: the command ends in its own time, and the
// lock stays ours until then.
func (w *watch) letGo() {
	if w.stopping {
		return
	}
	w.say("somebody asks for the lock; telling the command to end")
	w.child.signalGroup(syscall.SIGTERM)
	w.child.signalGroup(syscall.SIGCONT)
}

// lookAgain is when to look for what is left of the group; nil when nothing is,
// when nothing has to be stopped, or when KILL was sent and did what it can.
func (w *watch) lookAgain() <-chan time.Time {
	if !w.stopping || w.kill == nil || !w.child.groupLives() {
		return nil
	}
	return time.After(10 * time.Millisecond)
}

// pause follows a command that was stopped by job control. It is given the
// terminal when that is what it wants and we have it; otherwise we stop too, so
// that the shell which started us takes over. While we are stopped nothing is
// renewed: a command that wakes after its lease is sent TERM before it runs.
func (w *watch) pause(sig syscall.Signal) {
	if (sig == syscall.SIGTTIN || sig == syscall.SIGTTOU) && w.tty.lend() {
		w.child.signalGroup(syscall.SIGCONT)
		return
	}
	lent := w.tty.takeBack()
	if sig == syscall.SIGSTOP && !lent {
		return // somebody stopped the command and will let it go on
	}
	suspended := suspend()
	if w.hold.Err() != nil {
		return // stop lets it run on
	}
	if lent {
		w.tty.lend()
	}
	if suspended || sig == syscall.SIGTSTP {
		w.child.signalGroup(syscall.SIGCONT)
	}
}
