package grant_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestClockFollowsTimeNowWithoutASuspend(t *testing.T) {
	for range 100 {
		require.WithinDuration(t, time.Now(), grant.Now(), time.Second)
	}
}

func TestClockGoesOnInASuspend(t *testing.T) {
	before := grant.Now()
	wake := grant.Suspend(time.Hour)
	defer wake()
	require.WithinDuration(t, before.Add(time.Hour), grant.Now(), time.Minute)
	require.WithinDuration(t, time.Now(), grant.Wall(grant.Now()), time.Second, "a person's clock has no jump")
	require.WithinDuration(t, time.Now().Add(time.Minute), grant.Wall(grant.Now().Add(time.Minute)), time.Second)
	require.True(t, grant.Wall(time.Time{}).IsZero())
}

func TestAfterASuspendNothingIsHeldThatHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, store := k.grant(30 * time.Second)
		level := open(t, g, nil, grant.Options{})
		other, _ := k.grant(time.Hour)
		stays := open(t, other, nil, grant.Options{})
		ctx := level.Context(t.Context())
		require.NoError(t, level.Err())

		wake := grant.Suspend(time.Minute)
		defer wake()
		lost(t, level.Err(), recipes.ReasonExpired)
		require.Equal(t, 1, store.seen().lost)
		require.Error(t, ctx.Err())
		require.NoError(t, stays.Err())
	})
}

// TestWithinASecondOfWakingDoneIsClosed: Go's timers do not know of the
// suspend, and nobody asks.
func TestWithinASecondOfWakingDoneIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.grant(time.Hour)
		level := open(t, g, nil, grant.Options{})
		ctx := level.Context(t.Context())
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.NoError(t, ctx.Err())

		wake := grant.Suspend(2 * time.Hour)
		defer wake()
		start := time.Now()
		<-level.Over()
		synctest.Wait()
		<-ctx.Done()
		require.LessOrEqual(t, time.Since(start), time.Second)
		lost(t, level.Err(), recipes.ReasonExpired)
	})
}
