// Command bench measures the mutex on Redis: its speed beside redsync and beside
// the same scripts sent bare, and what a lock costs in requests, server
// commands, goroutines and allocations.
//
// Speeds are judged as ratios of what ran in the same round, because a loaded
// machine slows all contenders alike; a speed that misses its aim is printed
// and no failure. Counts do not depend on the machine: one that misses its aim,
// two holders at once, or a hold that was lost end the command with status 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	var cfg config
	flag.IntVar(&cfg.rounds, "rounds", 15, "rounds of each speed; ratios are medians over them")
	flag.StringVar(&cfg.only, "only", "", "measure only this: pair, hot, names, counts or holds")
	flag.DurationVar(&cfg.window, "window", 200*time.Millisecond, "how long one contender runs in one round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, cfg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

type config struct {
	rounds int
	only   string
	window time.Duration
}

// parts are what is measured, in the order of the table.
var parts = []struct {
	name string
	run  func(context.Context, *bench, config) error
}{
	{"pair", measurePair},
	{"hot", measureHot},
	{"names", measureNames},
	{"counts", measureCounts},
	{"holds", measureHolds},
}

func run(ctx context.Context, cfg config, out io.Writer) (err error) {
	if err := cfg.check(); err != nil {
		return err
	}
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	fmt.Fprintf(out, "Redis %s, %s, %s/%s, %d CPUs; %d rounds of %v a contender, interleaved\n",
		b.version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cfg.rounds, cfg.window)
	for _, part := range parts {
		if cfg.only != "" && cfg.only != part.name {
			continue
		}
		if err := part.run(ctx, b, cfg); err != nil {
			return fmt.Errorf("measure %s: %w", part.name, err)
		}
	}
	b.report.print(out)
	return b.report.failure()
}

func (c config) check() error {
	known := c.only == ""
	for _, part := range parts {
		known = known || c.only == part.name
	}
	switch {
	case !known:
		return fmt.Errorf("nothing to measure is called %q", c.only)
	case c.rounds < 1 || c.window < 10*time.Millisecond:
		return errors.New("at least 1 round, of at least 10ms")
	}
	return nil
}
