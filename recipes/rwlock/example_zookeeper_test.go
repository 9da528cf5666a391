package rwlock_test

import (
	"context"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/rwlock"
	"github.com/holdfast-go/holdfast/zkcore"
)

func readPrices(context.Context) error  { return nil }
func writePrices(context.Context) error { return nil }

func ExampleRWLock_RLock() {
	var zc *zkcore.Client // from gozk.Connect
	show := func(ctx context.Context) error {
		h, err := rwlock.NewZooKeeper(zc, "/locks/prices").RLock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return readPrices(h.Context(ctx))
	}
	_ = show
}

func ExampleRWLock_Reader() {
	var zc *zkcore.Client // from gozk.Connect
	show := func(ctx context.Context) error {
		prices := rwlock.NewZooKeeper(zc, "/locks/prices")
		return recipes.Do(ctx, prices.Reader(), func(ctx context.Context, _ *recipes.Hold) error {
			return readPrices(ctx)
		})
	}
	_ = show
}

// Nobody writes between what this writer wrote and what it reads.
func ExampleRWLock_downgrade() {
	var zc *zkcore.Client // from gozk.Connect
	update := func(ctx context.Context) error {
		prices := rwlock.NewZooKeeper(zc, "/locks/prices")
		w, err := prices.Lock(ctx)
		if err != nil {
			return err
		}
		defer w.Release(ctx)
		if err := writePrices(w.Context(ctx)); err != nil {
			return err
		}
		r, err := prices.RLock(w.Context(ctx))
		if err != nil {
			return err
		}
		defer r.Release(ctx)
		if err := w.Release(ctx); err != nil {
			return err
		}
		return readPrices(r.Context(ctx)) // beside other readers
	}
	_ = update
}
