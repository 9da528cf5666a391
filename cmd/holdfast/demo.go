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
	Redis []string `placeholder:"ADDR" help:"Use this server (host:port) instead of one inside this process. Several with --cluster or --sentinel-master."`
	ZK    []string `name:"zk" placeholder:"ADDR" help:"Use ZooKeeper at this server (host:port). Several are servers of one ensemble."`
	connection
}

// Help is shown by holdfast demo --help.
func (*demoCmd) Help() string {
	return `
There are 100 items, and 50 buyers on 4 clients who want 4 each. A buyer reads the stock, thinks for a
moment, and writes the stock back, less one. Without a lock, buyers read the same number and sell the same
item. The sale is repeated under each lock there is.

Without --redis or --zk it needs nothing: a Redis stand-in (miniredis) runs inside the process. On a
server it uses keys or nodes of its own and deletes them.

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
	return interrupted(ctx, show(ctx, o, p, kindsOn(p.system)))
}

// show sells without a lock, then under one of each kind.
func show(ctx context.Context, o *output, p *place, kinds []kind) error {
	if err := p.open(ctx); err != nil {
		return fmt.Errorf("%s does not answer: %w", p.where, err)
	}
	t := newTable(o.out)
	t.intro(p.where)
	free, think, err := oversell(ctx, p, t)
	if err != nil {
		return err
	}
	t.row(free)
	var locked []outcome
	for _, k := range kinds {
		got, err := p.sell(ctx, &k, think, t.progress(k.title))
		if err != nil {
			return err
		}
		t.row(got)
		locked = append(locked, got)
	}
	t.verdict(free, locked)
	if len(failures(locked)) > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

// oversell sells without a lock, and tells how long buyers must think for that
// to go wrong.
func oversell(ctx context.Context, p *place, t *table) (outcome, time.Duration, error) {
	think := firstThink
	for range mostTries {
		got, err := p.sell(ctx, nil, think, t.progress("no lock"))
		if err != nil || got.oversold() > 0 {
			return got, think, err
		}
		think *= 4
	}
	return outcome{}, 0, &exit{exitFailed, errors.New("without a lock nothing was oversold, so there is nothing to compare with")}
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
	if err != nil && errors.As(context.Cause(ctx), &own) {
		return own
	}
	return err
}

// lost reports whether err comes from a hold that has ended too early.
func lost(ctx context.Context, err error) bool {
	return err != nil && (errors.Is(err, recipes.ErrLost) || errors.Is(context.Cause(ctx), recipes.ErrLost))
}
