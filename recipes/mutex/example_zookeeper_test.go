package mutex_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
	"github.com/holdfast-go/holdfast/zkcore/gozk"
)

// zc is the one client of a process; see zkcore/gozk for how to make it.
var zc *zkcore.Client

// The whole of it on ZooKeeper: connect, lock, work, release.
func Example_zooKeeper() {
	work := func(ctx context.Context) error {
		zc, err := gozk.Connect(ctx, []string{"zk1:2181", "zk2:2181", "zk3:2181"}) // once a process
		if err != nil {
			return err
		}
		h, err := mutex.NewZooKeeper(zc, "/locks/orders/42").Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		return chargeCustomer(h.Context(ctx)) // this context ends when the lock does
	}
	if err := work(context.Background()); err != nil {
		log.Print(err)
	}
}

// On ZooKeeper every hold has a fence: the zxid of the change that made its node.
func ExampleNewZooKeeper() {
	work := func(ctx context.Context, account string, write func(ctx context.Context, token int64) error) error {
		h, err := mutex.NewZooKeeper(zc, "/locks/accounts/"+account).Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		token, _ := h.Fence() // always there on ZooKeeper
		return write(h.Context(ctx), token)
	}
	_ = work
}

// A long job that lets go when an operator, or a Java service with Curator's
// Revoker, asks it to.
func ExampleOnRevoke() {
	run := func(ctx context.Context, nextPart func(context.Context) (more bool, err error)) error {
		asked := make(chan struct{}, 1)
		lock := mutex.NewZooKeeper(zc, "/locks/reindex", mutex.OnRevoke(func(*recipes.Hold) {
			select {
			case asked <- struct{}{}:
			default: // asked before
			}
		}))
		h, err := lock.Lock(ctx)
		if err != nil {
			return err
		}
		defer h.Release(ctx)
		for more := true; more; {
			if more, err = nextPart(h.Context(ctx)); err != nil {
				return err
			}
			select {
			case <-asked:
				return nil // the rest another time
			default:
			}
		}
		return nil
	}
	_ = run
}

// Asking the holder to let go takes nothing away from it.
func ExampleMutex_RequestRevoke() {
	ask := func(ctx context.Context) error {
		m := mutex.NewZooKeeper(zc, "/locks/reindex")
		st, err := m.Inspect(ctx)
		if err != nil || len(st.Holders) == 0 {
			return err
		}
		return m.RequestRevoke(ctx, st.Holders[0])
	}
	_ = ask
}

// One node instead of a line: no order, no Java peer, for a few processes.
func ExampleSingleNode() {
	lead := mutex.NewZooKeeper(zc, "/locks/nightly", mutex.SingleNode())
	_ = lead
}

// On ZooKeeper Inspect shows who waits, too, in order.
func ExampleMutex_Inspect_zooKeeper() {
	show := func(ctx context.Context) error {
		st, err := mutex.NewZooKeeper(zc, "/locks/orders/42").Inspect(ctx)
		if err != nil {
			return err
		}
		for _, holder := range st.Holders {
			fmt.Println("holds", holder.ID, holder.Fence, time.Since(holder.Since))
		}
		for _, waiter := range st.Waiters {
			fmt.Println("waits", waiter.ID, time.Since(waiter.Since))
		}
		return nil
	}
	_ = show
}
