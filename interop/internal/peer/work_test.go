package peer

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestSellersOfTwoPeersSellEachPieceOnce(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		const pieces, rounds = 60, 20
		ctx := patience(t)
		rdb := server.Client(t)
		require.NoError(t, rdb.Set(ctx, "{shop}stock", pieces, 0).Err())
		var calls []*Call[Work]
		for _, name := range []string{"A", "B"} {
			p := run(t, server, version, name)
			for _, thread := range []string{"t1", "t2"} {
				lock := p.Thread(thread).Lock("{shop}")
				calls = append(calls, lock.GoInventory("{shop}stock", "{shop}sold", Rounds{N: rounds, Think: time.Millisecond}))
			}
		}
		var sold int
		var stays []Stay
		for _, call := range calls {
			work, err := call.Get(ctx)
			require.NoError(t, err)
			require.Equal(t, rounds, work.Entered)
			sold += work.Sold
			stays = append(stays, work.History...)
		}
		require.Equal(t, pieces, sold, "80 rounds for 60 pieces")
		stock, err := rdb.Get(ctx, "{shop}stock").Int()
		require.NoError(t, err)
		require.Zero(t, stock)
		stored, err := rdb.Get(ctx, "{shop}sold").Int()
		require.NoError(t, err)
		require.Equal(t, pieces, stored)

		require.Len(t, stays, len(calls)*rounds)
		slices.SortFunc(stays, func(a, b Stay) int { return a.Got.Compare(b.Got) })
		for i := 1; i < len(stays); i++ {
			require.False(t, stays[i].Got.Before(stays[i-1].Leaving), "stays %d and %d overlap", i-1, i)
		}
	})
}

// The same sale without a lock that holds must show, or the test above proves nothing.
func TestSellersBehindDifferentLocksSellPiecesTwice(t *testing.T) {
	const pieces, rounds = 1000, 100
	server := stores.Single(t)
	ctx := patience(t)
	rdb := server.Client(t)
	require.NoError(t, rdb.Set(ctx, "stock", pieces, 0).Err())
	p := run(t, server, DefaultRedisson, "A")
	var calls []*Call[Work]
	for _, name := range []string{"one", "other"} {
		lock := p.Thread(name).Lock(name)
		calls = append(calls, lock.GoInventory("stock", "sold", Rounds{N: rounds, Think: time.Millisecond}))
	}
	for _, call := range calls {
		work, err := call.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds, work.Sold)
	}
	stock, err := rdb.Get(ctx, "stock").Int()
	require.NoError(t, err)
	require.Greater(t, stock, pieces-2*rounds)
}

func TestLoopCountsRefusalsAndStopsWhenAsked(t *testing.T) {
	server := stores.Single(t)
	ctx := patience(t)
	p := run(t, server, DefaultRedisson, "A")
	t1, t2 := p.Thread("t1"), p.Thread("t2")
	require.NoError(t, t1.Lock("orders").Lock(ctx, Watchdog))
	work, err := t2.Lock("orders").GoLoop(Rounds{N: 3, Wait: time.Millisecond}).Get(ctx)
	require.NoError(t, err)
	require.Equal(t, Work{Refused: 3, History: []Stay{}}, work)

	endless := t2.Lock("parcels").GoLoop(Rounds{N: 1 << 30, Pause: time.Millisecond})
	rdb := server.Client(t)
	require.Eventually(t, func() bool {
		n, err := rdb.Exists(ctx, "parcels").Result()
		return err == nil && n == 1
	}, soon, time.Millisecond)
	require.NoError(t, t2.Stop(ctx))
	work, err = endless.Get(ctx)
	require.NoError(t, err)
	require.Positive(t, work.Entered)
	require.Len(t, work.History, work.Entered)
	left, err := rdb.Exists(ctx, "parcels").Result()
	require.NoError(t, err)
	require.Zero(t, left)
}
