package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// guard counts who is inside a critical section, by name.
type guard struct {
	inside atomic.Int32
	double atomic.Int32
}

func (g *guard) section() {
	if g.inside.Add(1) != 1 {
		g.double.Add(1)
	}
	g.inside.Add(-1)
}

// crowd is what workers got done in one window.
type crowd struct {
	rate float64 // cycles a second, all workers
	even float64 // turns of the slowest worker over those of the fastest
}

// gather lets workers cycle through names for a window, with an empty section.
// A cycle that ends after the window does not count; who waits then is called
// back through the context of its wait.
func gather(ctx context.Context, c contender, names []string, workers int, window time.Duration) (crowd, error) {
	guards := make([]guard, len(names))
	turns := make([]int, workers)
	wait, callBack := context.WithCancel(ctx)
	defer callBack()
	var over atomic.Bool
	begin := make(chan time.Time)
	var all errgroup.Group
	for w := range workers {
		l, g := c.lock(names[w%len(names)]), &guards[w%len(names)]
		all.Go(func() error {
			<-begin
			for !over.Load() {
				if err := l.take(wait); err != nil {
					if over.Load() {
						return nil
					}
					return err
				}
				g.section()
				if err := l.give(ctx); err != nil {
					return err
				}
				if !over.Load() {
					turns[w]++
				}
			}
			return nil
		})
	}
	start := time.Now()
	var spent time.Duration
	end := time.AfterFunc(window, func() {
		spent = time.Since(start)
		over.Store(true)
		callBack()
	})
	defer end.Stop()
	close(begin)
	if err := all.Wait(); err != nil {
		return crowd{}, fmt.Errorf("%s: %w", c.label, err)
	}
	for i := range guards {
		if n := guards[i].double.Load(); n > 0 {
			return crowd{}, fmt.Errorf("%s: %q had two holders at once, %d times", c.label, names[i], n)
		}
	}
	sum := 0
	for _, n := range turns {
		sum += n
	}
	return crowd{
		rate: float64(sum) / spent.Seconds(),
		even: float64(slices.Min(turns)) / float64(max(slices.Max(turns), 1)),
	}, nil
}

// compare lets contenders gather in turn, on names of their own in every round.
func compare(ctx context.Context, b *bench, cfg config, names, workers int, contenders ...contender) (rates, even []series, err error) {
	rates, even = make([]series, len(contenders)), make([]series, len(contenders))
	for _, c := range contenders { // dial, load scripts
		if _, err := gather(ctx, c, b.names(names), workers, cfg.window/4); err != nil {
			return nil, nil, err
		}
	}
	err = interleave(cfg.rounds, len(contenders), func(_, which int) error {
		got, err := gather(ctx, contenders[which], b.names(names), workers, cfg.window)
		rates[which] = append(rates[which], got.rate)
		even[which] = append(even[which], got.even)
		return err
	})
	return rates, even, err
}
