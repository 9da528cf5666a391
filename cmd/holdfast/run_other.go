//go:build !unix

package main

import (
	"errors"
	"os"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// holdfast run passes signals and process groups on, which only Unix has.

var errNoUnix = errors.New("holdfast run needs a Unix system")

type child struct{}

func startChild(string, []string, []string) (*child, error) { return nil, errNoUnix }

func catch() chan os.Signal { return make(chan os.Signal) }

func harmless(os.Signal) bool { return false }

type watch struct {
	*output
	child    *child
	hold     *recipes.Hold
	signals  chan os.Signal
	asked    requests
	grace    time.Duration
	stopping bool
}

func (w *watch) untilEnd() int { return exitCannotRun }
