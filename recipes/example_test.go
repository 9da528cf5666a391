package recipes_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/recipes"
)

// What the examples guard. Each is a stand-in for work of yours.
var (
	lock  recipes.Locker = recipes.NewLocal("orders:42")
	parts []string
)

func charge(context.Context) error        { return nil }
func ship(context.Context, string) error  { return nil }
func checkpoint(context.Context, string)  {}
func nextBatch(context.Context) []string  { return nil }
func serveOldData(context.Context) error  { return nil }
func pageSomebody(name string, err error) { _, _ = name, err }

// Do is the shortest correct use: it locks, runs the function and releases, and
// its nil says that the lock was held for all of it.
func ExampleDo() {
	err := recipes.Do(context.Background(), lock, func(ctx context.Context, h *recipes.Hold) error {
		fmt.Println("held, level", h.Count())
		return charge(ctx)
	})
	fmt.Println(err)
	// Output:
	// held, level 1
	// <nil>
}

// Code that takes a Locker is tested without a server.
func ExampleNewLocal() {
	billing := func(ctx context.Context, lock recipes.Locker) error {
		h, err := lock.TryLock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return charge(h.Context(ctx))
	}

	ctx := context.Background()
	lock := recipes.NewLocal("invoice:7")
	other, _ := lock.Lock(ctx)
	err := billing(ctx, lock)
	fmt.Println(err, errors.Is(err, recipes.ErrNotAcquired))
	_ = other.Release(ctx)
	fmt.Println(billing(ctx, lock))
	// Output:
	// try lock "invoice:7": not acquired: held by another owner true
	// <nil>
}

// A bounded wait: not being first is an answer, not a failure.
func ExampleWithWait() {
	ctx := context.Background()
	lock := recipes.NewLocal("report")
	other, _ := lock.Lock(ctx)
	defer other.Release(ctx)

	run := func() error {
		h, err := lock.Lock(ctx, recipes.WithWait(20*time.Millisecond))
		if errors.Is(err, recipes.ErrNotAcquired) {
			return serveOldData(ctx)
		}
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return charge(h.Context(ctx))
	}
	fmt.Println(run())
	// Output: <nil>
}

// A helper that takes the lock itself works both alone and under a caller that
// holds it already: re-entry follows the context.
func ExampleHold_Context() {
	audit := func(ctx context.Context) error {
		h, err := lock.Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		fmt.Println("audit at level", h.Count())
		return nil
	}

	ctx := context.Background()
	fmt.Println(audit(ctx))

	h, err := lock.Lock(ctx)
	if err != nil {
		return
	}
	defer h.Release(ctx)
	fmt.Println(audit(h.Context(ctx)))
	// Output:
	// audit at level 1
	// <nil>
	// audit at level 2
	// <nil>
}

// Goroutines under one hold stop when it ends. Those of them that lock the same
// name with this context take turns: they are siblings.
func ExampleHold_Context_errgroup() {
	work := func(ctx context.Context) error {
		h, err := lock.Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)

		g, gctx := errgroup.WithContext(h.Context(ctx))
		for _, part := range parts {
			g.Go(func() error { return ship(gctx, part) })
		}
		return g.Wait()
	}
	fmt.Println(work(context.Background()))
	// Output: <nil>
}

// A long job looks at the hold before each step that would hurt if somebody
// else had the lock by now.
func ExampleHold_Err() {
	migrate := func(ctx context.Context) error {
		h, err := lock.Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		ctx = h.Context(ctx)

		for _, part := range nextBatch(ctx) {
			if err := h.Err(); err != nil {
				return err // a *recipes.LostError that says why
			}
			if err := ship(ctx, part); err != nil {
				return err
			}
			checkpoint(ctx, part)
		}
		return h.Err()
	}
	fmt.Println(migrate(context.Background()))
	// Output: <nil>
}

// A lease of the call's own ends the hold, whether the work is done or not.
func ExampleLostError() {
	ctx := context.Background()
	h, err := recipes.NewLocal("nightly").Lock(ctx, recipes.WithLease(100*time.Millisecond))
	if err != nil {
		return
	}
	defer h.Release(ctx)

	<-h.Done() // work that takes too long
	var lost *recipes.LostError
	if errors.As(h.Err(), &lost) {
		fmt.Println(lost.Name, lost.Reason == recipes.ReasonLeaseOver)
	}
	fmt.Println(context.Cause(h.Context(ctx)))
	// Output:
	// nightly true
	// hold of "nightly": lost: its lease is over
}

// What Java writes as lock.tryLock(10, 60, TimeUnit.SECONDS).
func ExampleWithLease() {
	port := func(ctx context.Context) error {
		h, err := lock.Lock(ctx, recipes.WithWait(10*time.Second), recipes.WithLease(60*time.Second))
		if errors.Is(err, recipes.ErrNotAcquired) {
			return nil // tryLock returned false
		}
		if err != nil {
			return err // tryLock threw
		}
		defer h.Release(ctx) // unlock in finally
		return charge(h.Context(ctx))
	}
	fmt.Println(port(context.Background()))
	// Output: <nil>
}

// A worker that hangs keeps the lock for five minutes at most; one that dies,
// for the client's lease.
func ExampleWithMaxHold() {
	h, err := lock.Lock(context.Background(), recipes.WithMaxHold(5*time.Minute))
	fmt.Println(err)
	_ = h.Release(context.Background())
	// Output: <nil>
}

// errStale is how the example below names a write that came too late.
var errStale = errors.New("a later holder has written already")

// The database has the last word: it remembers the highest token and refuses
// writes that carry a smaller one.
func ExampleHold_Fence() {
	save := func(ctx context.Context, db *sql.DB, h *recipes.Hold, id string, balance int64) error {
		token, ok := h.Fence()
		if !ok {
			return errors.New("this lock has no fence; do not write under it")
		}
		res, err := db.ExecContext(ctx, `
			UPDATE accounts SET balance = $1, fence = $2
			WHERE id = $3 AND fence <= $2`, balance, token, id)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errStale)
		}
		return nil
	}
	_ = save
}

// What a Release can say, and what to do about each.
func ExampleUnknownError() {
	finish := func(ctx context.Context, h *recipes.Hold) error {
		err := h.Release(ctx)
		var unknown *recipes.UnknownError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &unknown):
			// The store did not answer. Our work is done, and the release is
			// repeated behind; others may have to wait until unknown.Until.
			return nil
		case errors.Is(err, recipes.ErrLost):
			// The lock was gone before the work was: what it guarded is in doubt.
			pageSomebody(h.Name(), err)
			return err
		default:
			return err // ErrNotHeld: released twice, a mistake in the program
		}
	}
	h, _ := lock.Lock(context.Background())
	fmt.Println(finish(context.Background(), h))
	// Output: <nil>
}
