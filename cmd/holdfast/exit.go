package main

import (
	"errors"
	"os"
	"syscall"

	"github.com/holdfast-go/holdfast/recipes"
)

// What holdfast exits with, besides 0 and what a command under a lock exits
// with. The first four lie where no convention does: above the small numbers of
// grep, diff and flock and above sysexits (64 to 78), below 124 (timeout) and
// 128+n (signals). The last three mean what they mean for env, nice and timeout.
const (
	exitFailed      = 1 // demo: a lock failed; force-release: that owner holds nothing
	exitNotAcquired = 120
	exitLost        = 121
	exitStore       = 122
	exitUsage       = 125
	exitCannotRun   = 126
	exitNotFound    = 127
	exitSignal      = 128 // and the number of the signal
)

// exit is the end of a command with a code of its own. Without an error there
// is nothing to say about it.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return "exit"
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// signalled is the end by a signal, as a shell reports it.
func signalled(s os.Signal) *exit {
	number, _ := s.(syscall.Signal)
	return &exit{code: exitSignal + int(number)}
}

// exitCode is what err means to the caller of the process, and the error that
// is to be told.
func exitCode(err error) (int, error) {
	var own *exit
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &own):
		return own.code, own.err
	case errors.Is(err, recipes.ErrInvalid):
		return exitUsage, err
	case errors.Is(err, recipes.ErrLost):
		return exitLost, err
	case errors.Is(err, recipes.ErrNotAcquired):
		return exitNotAcquired, err
	}
	return exitStore, err
}
