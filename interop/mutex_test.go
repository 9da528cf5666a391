package interop_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

func TestReleaseOfEachLanguageWakesTheOther(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		ctx, thread := t.Context(), p.java.Thread("t1")
		m, j := p.mutex("wakes"), thread.Lock("wakes")
		var toGo, toJava []time.Duration
		for range 7 {
			require.NoError(t, j.Lock(ctx, peer.Watchdog))
			_, err := m.TryLock(ctx)
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			in := waiting(t, m)
			p.subscribed(t, "wakes", 1)
			freed := time.Now()
			require.NoError(t, j.Unlock(ctx))
			toGo = append(toGo, (<-in).Sub(freed))
		}
		for range 7 {
			h := hold(t, m)
			got, err := j.TryLock(ctx, peer.NoWait, peer.Watchdog)
			require.NoError(t, err)
			require.False(t, got)
			call := j.GoLock(peer.Watchdog)
			p.subscribed(t, "wakes", 1)
			freed := time.Now()
			require.NoError(t, h.Release(ctx))
			require.NoError(t, call.Err(ctx))
			toJava = append(toJava, time.Since(freed))
			require.NoError(t, j.Unlock(ctx))
		}
		t.Logf("Java's unlock wakes Go after %v, Go's release wakes Java after %v (middle of 7)", middle(toGo), middle(toJava))
		require.Less(t, middle(toGo), 100*time.Millisecond)
		require.Less(t, middle(toJava), 100*time.Millisecond)
	})
}

func TestReentryCountsAreSeenByTheOtherLanguage(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		ctx, m, j := t.Context(), p.mutex("levels"), p.java.Thread("t1").Lock("levels")
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		require.Len(t, s.Holders, 1)
		require.Equal(t, 2, s.Holders[0].Count)
		require.NoError(t, j.Unlock(ctx))
		in := waiting(t, m)
		p.subscribed(t, "levels", 1)
		require.Empty(t, in, "one of two unlocks lets nobody in")
		require.NoError(t, j.Unlock(ctx))
		<-in

		h := hold(t, m)
		inner, err := m.Lock(h.Context(ctx))
		require.NoError(t, err)
		call := j.GoLock(peer.Watchdog)
		p.subscribed(t, "levels", 1)
		require.NoError(t, inner.Release(ctx))
		levels, err := p.oracle.HGetAll(ctx, "levels").Result()
		require.NoError(t, err)
		require.Equal(t, map[string]string{h.Owner(): "1"}, levels, "one of two releases lets nobody in")
		select {
		case <-call.Done():
			require.Fail(t, "Java got in")
		default:
		}
		require.NoError(t, h.Release(ctx))
		require.NoError(t, call.Err(ctx))
		require.NoError(t, j.Unlock(ctx))
	})
}

func TestWatchdogsOfBothLanguagesRunSideBySide(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		ctx, thread := t.Context(), p.java.Thread("t1")
		j := thread.Lock("of Java")
		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		h := hold(t, p.mutex("of Go"))
		<-time.After(3 * watchdog)
		_, err := p.mutex("of Java").TryLock(ctx)
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		got, err := p.java.Thread("t2").Lock("of Go").TryLock(ctx, peer.NoWait, peer.Watchdog)
		require.NoError(t, err)
		require.False(t, got)
		require.NoError(t, h.Err())
		require.NoError(t, h.Release(ctx))
		require.NoError(t, j.Unlock(ctx))
	})
}

func TestKilledJavaHolderBlocksForItsLeaseAtMost(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		require.NoError(t, p.java.Thread("t1").Lock("killed").Lock(t.Context(), peer.Watchdog))
		in := waiting(t, p.mutex("killed"))
		p.subscribed(t, "killed", 1)
		p.java.Kill()
		killed := time.Now()
		require.Less(t, (<-in).Sub(killed), watchdog+slack)
	})
}

func TestAbandonedGoHoldBlocksJavaForItsLeaseAtMost(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		dying := connect(t, p.server.Addr())
		hold(t, mutex.NewRedis(dying, "abandoned"))
		call := p.java.Thread("t1").Lock("abandoned").GoLock(peer.Watchdog)
		p.subscribed(t, "abandoned", 1)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, dying.Close(gone), context.Canceled, "as a process that dies: nothing is released or renewed")
		left := time.Now()
		require.NoError(t, call.Err(t.Context()))
		require.Less(t, time.Since(left), watchdog+slack)
		require.NoError(t, p.java.Thread("t1").Lock("abandoned").Unlock(t.Context()))
	})
}

func TestForcedReleaseOfTheOtherLanguageIsNoticed(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		ctx, m, j := t.Context(), p.mutex("forced"), p.java.Thread("t1").Lock("forced")
		h := hold(t, m)
		done, err := j.ForceUnlock(ctx)
		require.NoError(t, err)
		require.True(t, done)
		select {
		case <-h.Done():
		case <-time.After(watchdog/3 + slack):
			require.Fail(t, "not told")
		}
		var lost *recipes.LostError
		require.ErrorAs(t, h.Err(), &lost)
		require.Equal(t, recipes.ReasonTaken, lost.Reason)
		require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)

		require.NoError(t, j.Lock(ctx, peer.Watchdog))
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		require.NoError(t, m.ForceRelease(ctx, s.Holders[0]))
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
	})
}

func TestFencedTokensGrowAcrossLanguages(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		if p.java.ID() == "" {
			t.Fatal("the peer has no id")
		}
		ctx, m, j := t.Context(), p.mutex("fenced", mutex.Fenced()), p.java.Thread("t1").Fenced("fenced")
		last := int64(0)
		grows := func(token int64) {
			require.Greater(t, token, last)
			last = token
		}
		for range 3 {
			token, err := j.LockAndGetToken(ctx, peer.Watchdog)
			if err != nil {
				require.ErrorIs(t, err, peer.ErrNoRecipe, "Redisson has it from 3.19 on")
				return
			}
			grows(token)
			require.NoError(t, j.Unlock(ctx))
			h := hold(t, m)
			token, ok := h.Fence()
			require.True(t, ok)
			grows(token)
			require.NoError(t, h.Release(ctx))
		}
	})
}

// A stock that both languages sell from, with reads and writes that only the
// lock makes safe.
func TestInventorySoldByBothLanguagesNeverOversells(t *testing.T) {
	eachVersion(t, func(t *testing.T, p *pair) {
		const stock = 120
		ctx := t.Context()
		require.NoError(t, p.oracle.MSet(ctx, "stock", stock, "sold", 0).Err())
		rounds := peer.Rounds{N: 60, Think: time.Millisecond}
		calls := []*peer.Call[peer.Work]{
			p.java.Thread("a").Lock("shop").GoInventory("stock", "sold", rounds),
			p.java.Thread("b").Lock("shop").GoInventory("stock", "sold", rounds),
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		sold := 0
		for range 8 { // one process: they hand the lock on to each other
			wg.Go(func() {
				for range 20 {
					err := recipes.Do(ctx, p.mutex("shop"), func(ctx context.Context, _ *recipes.Hold) error {
						left, err := p.oracle.Get(ctx, "stock").Int()
						if err != nil || left == 0 {
							return err
						}
						n, err := p.oracle.Get(ctx, "sold").Int()
						if err != nil {
							return err
						}
						<-time.After(time.Millisecond)
						mu.Lock()
						sold++
						mu.Unlock()
						return p.oracle.MSet(ctx, "stock", left-1, "sold", strconv.Itoa(n+1)).Err()
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		java := 0
		for _, c := range calls {
			work, err := c.Get(ctx)
			require.NoError(t, err)
			require.Equal(t, 60, work.Entered)
			java += work.Sold
		}
		wg.Wait()
		counted, err := p.oracle.Get(ctx, "sold").Int()
		require.NoError(t, err)
		t.Logf("Go sold %d, Java %d of %d", sold, java, stock)
		require.Equal(t, stock, counted)
		require.Equal(t, stock, sold+java)
		require.NotZero(t, java, "Java had its turns beside eight Go waiters of one process")
	})
}
