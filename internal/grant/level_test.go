package grant_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

func TestDepthCountsFromTheOutermost(t *testing.T) {
	k := newKeeper(t)
	g, store := k.grant(time.Hour)
	one := open(t, g, nil, grant.Options{})
	two := open(t, g, one, grant.Options{})
	three := open(t, g, two, grant.Options{})
	require.Equal(t, []int{1, 2, 3}, []int{one.Depth(), two.Depth(), three.Depth()})
	require.Equal(t, 3, g.Alive().Total())

	require.NoError(t, one.Release(t.Context(), time.Second))
	require.Equal(t, 3, three.Depth(), "a depth does not change")
	require.True(t, g.Live())
	require.NoError(t, three.Release(t.Context(), time.Second))
	require.NoError(t, two.Release(t.Context(), time.Second))
	require.False(t, g.Live())
	require.Equal(t, []int{2, 1, 0}, store.seen().released)
}

func TestNothingOpensBelowALevelThatHasEnded(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	one := open(t, g, nil, grant.Options{})
	two := open(t, g, one, grant.Options{})
	require.NoError(t, one.Release(t.Context(), time.Second))
	_, err := g.Open(one, grant.Options{})
	released(t, err)
	open(t, g, two, grant.Options{})
}

func TestBoundOfALevelEndsThatLevelAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, store := k.grant(time.Hour)
		outer := open(t, g, nil, grant.Options{})
		inner := open(t, g, outer, grant.Options{Leased: true, Lease: time.Second})
		below := open(t, g, inner, grant.Options{Bounded: true, MaxHold: time.Minute})
		start := time.Now()
		<-inner.Over()
		synctest.Wait()
		require.InDelta(t, time.Second, time.Since(start), float64(10*time.Millisecond))
		lost(t, inner.Err(), recipes.ReasonLeaseOver)
		require.NoError(t, outer.Err())
		require.NoError(t, below.Err(), "each level has its own end")
		require.Equal(t, []int{2}, store.seen().settled, "the store hears of it behind")
		<-below.Over()
		synctest.Wait()
		require.InDelta(t, time.Minute, time.Since(start), float64(10*time.Millisecond))
		require.Equal(t, []int{2, 1}, store.seen().settled)
		require.Zero(t, store.seen().lost, "the grant is still held")
		require.NoError(t, outer.Release(t.Context(), time.Second))
	})
}

func TestContextEndsWithTheFirstOfItsTwoEnds(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	level := open(t, g, nil, grant.Options{})
	parent, cancel := context.WithCancelCause(t.Context())
	first, second := level.Context(parent), level.Context(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	require.ErrorIs(t, context.Cause(first), enough)
	require.NoError(t, second.Err())
	require.NoError(t, level.Release(t.Context(), time.Second))
	released(t, context.Cause(second))
	released(t, context.Cause(level.Context(t.Context())))
	require.ErrorIs(t, context.Cause(first), enough, "a cause does not change")
}

func TestEndedContextsTellWhyWhileTheHoldGoesOn(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	level := open(t, g, nil, grant.Options{})
	ctx := level.Context(t.Context())
	closing := errors.New("closing")
	g.EndContexts(closing)
	require.ErrorIs(t, context.Cause(ctx), closing)
	require.ErrorIs(t, context.Cause(level.Context(t.Context())), closing)
	require.NoError(t, level.Err())
	require.NoError(t, level.Release(t.Context(), time.Second))
	require.ErrorIs(t, context.Cause(ctx), closing)
}

func TestContextCarriesItsLevelForItsLockOnly(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	level := open(t, g, nil, grant.Options{})
	ctx := context.WithoutCancel(level.Context(t.Context()))
	carried, err := grant.Carried(ctx, g.ID)
	require.NoError(t, err)
	require.Same(t, level, carried)
	for _, other := range []grant.ID{
		{Core: k, Name: "others", Family: "test"},
		{Core: k, Name: "orders", Family: "other"},
		{Core: newKeeper(t), Name: "orders", Family: "test"},
	} {
		carried, err = grant.Carried(ctx, other)
		require.NoError(t, err)
		require.Nil(t, carried)
	}

	require.NoError(t, level.Release(t.Context(), time.Second))
	carried, err = grant.Carried(ctx, g.ID)
	require.NoError(t, err)
	require.Nil(t, carried, "a released level is no level")

	g, _ = k.grant(time.Hour)
	ctx = context.WithoutCancel(open(t, g, nil, grant.Options{}).Context(t.Context()))
	g.Lose(grant.Taken)
	_, err = grant.Carried(ctx, g.ID)
	lost(t, err, recipes.ReasonTaken)
}

func TestExtendAsksForWhatTheLevelMay(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		name   string
		outer  grant.Options
		policy grant.Policy
		inner  *grant.Options
		d      time.Duration
		asked  time.Duration // -1: nothing is asked
	}{
		{"watchdog", grant.Options{}, grant.Policy{Lease: 30 * second}, nil, 0, 30 * second},
		{"watchdog, longer", grant.Options{}, grant.Policy{Lease: 30 * second}, nil, second, -1},
		{"lease, anew", grant.Options{Leased: true, Lease: 5 * second}, grant.Policy{Lease: 5 * second, Leased: true}, nil, 0, 5 * second},
		{"lease, longer", grant.Options{Leased: true, Lease: 5 * second}, grant.Policy{Lease: 5 * second, Leased: true}, nil, 9 * second, 9 * second},
		{"lease, too short", grant.Options{Leased: true, Lease: 5 * second}, grant.Policy{Lease: 5 * second, Leased: true}, nil, 99 * time.Millisecond, -1},
		{"level of a lease", grant.Options{Leased: true, Lease: 5 * second}, grant.Policy{Lease: 5 * second, Leased: true}, &grant.Options{Leased: true, Lease: second}, 2 * second, 0},
		{"level of the watchdog", grant.Options{}, grant.Policy{Lease: 30 * second}, &grant.Options{Leased: true, Lease: second}, 2 * second, 30 * second},
	} {
		k := newKeeper(t)
		g, store := k.start(c.policy, c.policy.Lease)
		level := open(t, g, nil, c.outer)
		if c.inner != nil {
			level = open(t, g, level, *c.inner)
		}
		err := level.Extend(t.Context(), c.d, func(d time.Duration) time.Duration { return d })
		if c.asked < 0 {
			require.ErrorIs(t, err, grant.ErrInvalid, c.name)
			require.Empty(t, store.seen().extended, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, []time.Duration{c.asked}, store.seen().extended, c.name)
	}
}

func TestReleaseContextKeepsValuesAndADeadlineAhead(t *testing.T) {
	type key struct{}
	base := context.WithValue(t.Context(), key{}, "kept")
	until := func(d time.Duration) context.Context {
		ctx, cancel := context.WithDeadline(base, time.Now().Add(d))
		t.Cleanup(cancel)
		return ctx
	}
	cancelled, cancel := context.WithCancel(base)
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want time.Duration
	}{
		{base, 5 * time.Second},
		{cancelled, 5 * time.Second},
		{until(time.Hour), 5 * time.Second},
		{until(2 * time.Second), 2 * time.Second},
		{until(-time.Second), 5 * time.Second},
	} {
		ctx := grant.ReleaseContext(c.ctx, 5*time.Second)
		require.NoError(t, ctx.Err())
		require.Equal(t, "kept", ctx.Value(key{}))
		end, ok := ctx.Deadline()
		require.True(t, ok)
		require.WithinDuration(t, time.Now().Add(c.want), end, time.Second)
		ctx.Stop()
	}
}

// An inner level that ends by its own lease as the last one gives its holder the
// time to stop that an outermost lease has in its margin.
func TestLastLevelToEndByItsOwnLeaseLeavesTimeToStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lease = 2 * time.Second
		start := func() (*grant.Level, *fakeStore) {
			k := newKeeper(t)
			g, store := k.grant(time.Hour)
			outer := open(t, g, nil, grant.Options{})
			inner := open(t, g, outer, grant.Options{Leased: true, Lease: lease})
			require.NoError(t, outer.Release(t.Context(), time.Second))
			<-inner.Over()
			return inner, store
		}
		inner, store := start()
		lost(t, inner.Err(), recipes.ReasonLeaseOver)
		require.Empty(t, store.seen().settled)
		time.Sleep(lease/20 + time.Millisecond)
		synctest.Wait()
		require.Equal(t, []int{0}, store.seen().settled)

		inner, store = start()
		lost(t, inner.Release(t.Context(), time.Second), recipes.ReasonLeaseOver)
		require.Equal(t, []int{0}, store.seen().settled, "its work has stopped")
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []int{0}, store.seen().settled, "once")
	})
}
