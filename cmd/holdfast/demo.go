package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// demoCmd has no environment variable for its server: it would make load on
// one that was set for other commands.
type demoCmd struct {
	Redis []string `placeholder:"ADDR,..." help:"Use this server (host:port) instead of one inside this process. Several with --cluster or --sentinel-master."`
	connection
}

// Help is shown by holdfast demo --help.
func (*demoCmd) Help() string {
	return `
There are 100 items, and 50 buyers on 4 clients who want 4 each. A buyer reads the stock, thinks for a
moment, and writes the stock back, less one. Without a lock, buyers read the same number and sell the same
item. The sale is repeated under each lock there is.

Without --redis it needs nothing: a Redis stand-in (miniredis) runs inside the process. On a server it uses
keys of its own and deletes them.

Exit code 0: without a lock too much was sold, and under the locks exactly what was there. 1: a lock failed.
122: the store could not be reached.`
}

const (
	firstThink = time.Millisecond
	// mostTries without a lock, each with four times the last one's thinking.
	// With 50 buyers, one that did not oversell has not been seen.
	mostTries = 5
)

// Run is called by kong.
func (d *demoCmd) Run(o *output) error {
	ctx, stop := interruptible()
	defer stop()
	p, err := d.place()
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.ping(ctx); err != nil {
		return fmt.Errorf("%s does not answer: %w", p.where, err)
	}
	all, err := show(ctx, p, newTable(o.out, p.where))
	if err != nil {
		return interrupted(ctx, err)
	}
	if len(failures(all)) > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// show sells without a lock until too much is sold, then under each.
func show(ctx context.Context, p *place, t *table) ([]outcome, error) {
	t.intro()
	var all []outcome
	think := firstThink
	for try := 1; ; try++ {
		got, err := p.sell(ctx, nil, think, t.progress("no lock"))
		if err != nil {
			return nil, err
		}
		if got.oversold() > 0 {
			all = append(all, got)
			break
		}
		if try == mostTries {
			return nil, &exit{exitFailed, fmt.Errorf("nothing was oversold without a lock, though each buyer thought for %v", think)}
		}
		think *= 4
	}
	t.row(all[0])
	for _, k := range kinds {
		got, err := p.sell(ctx, &k, think, t.progress(k.title))
		if err != nil {
			return nil, err
		}
		all = append(all, got)
		t.row(got)
	}
	t.verdict(all)
	return all, nil
}

// interruptible ends with the signals that end programs; interrupted then gives
// the exit code that goes with the one that came.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, open := <-got; open {
			cancel(signalled(s))
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(got)
		cancel(nil)
	}
}

func interrupted(ctx context.Context, err error) error {
	var own *exit
	if errors.As(context.Cause(ctx), &own) {
		return own
	}
	return err
}

// lost reports whether err comes from a hold that has ended too early.
func lost(ctx context.Context, err error) bool {
	return err != nil && (errors.Is(err, recipes.ErrLost) || errors.Is(context.Cause(ctx), recipes.ErrLost))
}
