//go:build unix

package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// toGroup are the signals that the terminal, or somebody who wants an end of
// it, sends: they are for all processes of the command.
var toGroup = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTSTP}

// toCommand have a meaning that the command gave them; they would kill a
// helper of it that knows nothing of them.
var toCommand = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH}

// catch gets the signals to pass on. One that was ignored when we were started,
// by nohup for example, stays ignored, here and in the command.
func catch() chan os.Signal {
	signals := make(chan os.Signal, 16)
	for _, s := range slices.Concat(toGroup, toCommand) {
		// SIGTSTP not before there is a command: who only waits may be stopped.
		if s != syscall.SIGTSTP && !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	return signals
}

// harmless signals do not end a process that has no handler for them.
func harmless(s os.Signal) bool { return s == syscall.SIGWINCH }
