package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// requests to let go; one that nobody has looked at yet stands for those that
// follow.
type requests chan struct{}

func (r requests) heard(*recipes.Hold) {
	select {
	case r <- struct{}{}:
	default:
	}
}

// lock waits for the store, if it is one to wait for, and for the lock: both
// together no longer than --wait.
func (r *runCmd) lock(ctx context.Context, s store, k kind, asked requests) (*recipes.Hold, error) {
	began := time.Now()
	if err := r.ready(ctx, s); err != nil {
		return nil, err
	}
	var opts []recipes.LockOption
	if r.Wait != nil {
		opts = append(opts, recipes.WithWait(*r.Wait-time.Since(began)))
	}
	if r.Lease != nil {
		opts = append(opts, recipes.WithLease(*r.Lease))
	}
	var heard func(*recipes.Hold)
	if r.Revocable {
		heard = asked.heard
	}
	return s.lock(k, r.Name, heard).Lock(ctx, opts...)
}

func (r *runCmd) ready(ctx context.Context, s store) error {
	if r.Wait == nil {
		return s.open(ctx)
	}
	limit := *r.Wait
	if limit <= 0 {
		limit = answerWithin // to ask once takes an answer
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.open(ctx)
}

// acquire waits for the lock until a signal ends the wait.
func (r *runCmd) acquire(o *output, s store, k kind, asked requests, signals chan os.Signal) (*recipes.Hold, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	type result struct {
		hold *recipes.Hold
		err  error
	}
	got := make(chan result, 1)
	go func() {
		h, err := r.lock(ctx, s, k, asked)
		got <- result{h, err}
	}()
	patience := time.NewTimer(patienceWithStore)
	defer patience.Stop()
	for {
		select {
		case res := <-got:
			if ctx.Err() != nil && res.err == nil {
				// Granted just before the signal. If this fails, closing the
				// store waits for it.
				_ = res.hold.Release(ctx)
				res.err = ctx.Err()
			}
			return res.hold, interrupted(ctx, res.err)
		case sig := <-signals:
			if !harmless(sig) {
				cancel(signalled(sig))
			}
		case <-patience.C:
			go complain(ctx, o, s)
		}
	}
}

// patienceWithStore is after how long a wait is worth a look at whether the
// store is there at all: a Lock waits through outages and says nothing.
const patienceWithStore = 2 * time.Second

func complain(ctx context.Context, o *output, s store) {
	ctx, cancel := context.WithTimeout(ctx, patienceWithStore)
	defer cancel()
	if err := s.reach(ctx); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		o.say("%v does not answer yet: %v", s, err)
	}
}
