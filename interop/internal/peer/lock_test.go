package peer

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestLockIsStoredAsAHashOfOwnersAndCounts(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		ctx := patience(t)
		rdb := server.Client(t)
		p := run(t, server, version, "A")
		t1 := p.Thread("t1")
		lock := t1.Lock("orders")
		owner, err := t1.Owner(ctx)
		require.NoError(t, err)
		require.Regexp(t, `^`+p.ID()+`:\d+$`, owner)

		for depth := 1; depth <= 2; depth++ {
			got, err := lock.TryLock(ctx, NoWait, Watchdog)
			require.NoError(t, err)
			require.True(t, got)
			stored, err := rdb.HGetAll(ctx, "orders").Result()
			require.NoError(t, err)
			require.Equal(t, map[string]string{owner: strconv.Itoa(depth)}, stored)
			count, err := lock.HoldCount(ctx)
			require.NoError(t, err)
			require.Equal(t, depth, count)
		}
		ttl, err := lock.TTL(ctx)
		require.NoError(t, err)
		require.Positive(t, ttl)
		require.LessOrEqual(t, ttl, watchdog.Milliseconds())

		require.NoError(t, lock.Unlock(ctx))
		require.NoError(t, lock.Unlock(ctx))
		require.ErrorIs(t, lock.Unlock(ctx), ErrNotOwner)
		left, err := rdb.Exists(ctx, "orders").Result()
		require.NoError(t, err)
		require.Zero(t, left)
		ttl, err = lock.TTL(ctx)
		require.NoError(t, err)
		require.EqualValues(t, -2, ttl)
	})
}

func TestLeaseGivenIsTheTTL(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		ctx := patience(t)
		rdb := server.Client(t)
		lock := run(t, server, version, "A").Thread("t1").Lock("orders")
		got, err := lock.TryLock(ctx, NoWait, time.Minute)
		require.NoError(t, err)
		require.True(t, got)
		ttl, err := rdb.PTTL(ctx, "orders").Result()
		require.NoError(t, err)
		require.Greater(t, ttl, time.Minute-soon)
		require.LessOrEqual(t, ttl, time.Minute)
	})
}

func TestTwoPeersExcludeAndWakeEachOther(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		ctx := patience(t)
		a := run(t, server, version, "A").Thread("t1").Lock("orders")
		b := run(t, server, version, "B").Thread("t1").Lock("orders")
		require.NoError(t, a.Lock(ctx, Watchdog))

		got, err := b.TryLock(ctx, NoWait, Watchdog)
		require.NoError(t, err)
		require.False(t, got)
		require.ErrorIs(t, b.Unlock(ctx), ErrNotOwner)
		locked, err := b.IsLocked(ctx)
		require.NoError(t, err)
		require.True(t, locked)
		mine, err := b.HeldByThread(ctx)
		require.NoError(t, err)
		require.False(t, mine)

		// The second call cannot overtake the first on its thread, so once the
		// server knows the subscriber, b waits.
		waiting := b.GoLock(Watchdog)
		rdb := server.Client(t)
		require.Eventually(t, func() bool {
			n, err := rdb.PubSubNumSub(ctx, "redisson_lock__channel:{orders}").Result()
			return err == nil && n["redisson_lock__channel:{orders}"] == 1
		}, soon, 10*time.Millisecond)
		select {
		case <-waiting.Done():
			t.Fatal("two holders")
		default:
		}
		unlock := a.GoUnlock()
		require.NoError(t, unlock.Err(ctx))
		require.NoError(t, waiting.Err(ctx))
		require.False(t, waiting.Times().Ended.Before(unlock.Times().Began))

		removed, err := a.ForceUnlock(ctx)
		require.NoError(t, err)
		require.True(t, removed)
		require.ErrorIs(t, b.Unlock(ctx), ErrNotOwner)
	})
}

func TestFencedLockHandsOutGrowingTokens(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		ctx := patience(t)
		rdb := server.Client(t)
		p := run(t, server, version, "A")
		t1, t2 := p.Thread("t1").Fenced("orders"), p.Thread("t2").Fenced("orders")
		if version == "3.16.8" {
			_, err := t1.LockAndGetToken(ctx, Watchdog)
			require.ErrorIs(t, err, ErrNoRecipe)
			return
		}
		none, err := t1.Token(ctx)
		require.NoError(t, err)
		require.Zero(t, none)

		token, err := t1.LockAndGetToken(ctx, Watchdog)
		require.NoError(t, err)
		require.EqualValues(t, 1, token)
		refused, err := t2.TryLockAndGetToken(ctx, NoWait, Watchdog)
		require.NoError(t, err)
		require.Nil(t, refused)
		require.NoError(t, t1.Unlock(ctx))

		next, err := t2.TryLockAndGetToken(ctx, time.Second, time.Minute)
		require.NoError(t, err)
		require.EqualValues(t, 2, *next)
		stored, err := rdb.Get(ctx, "redisson_lock_token:{orders}").Result()
		require.NoError(t, err)
		require.Equal(t, "2", stored)
		current, err := t1.Token(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, current)
	})
}
