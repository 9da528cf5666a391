package grant_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

var errNoAnswer = errors.New("no answer")

func TestLostGrantNeverComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, store := k.grant(30 * time.Second)
		level := open(t, g, nil, grant.Options{})
		g.Lose(grant.Taken)
		lost(t, level.Err(), recipes.ReasonTaken)
		g.Lose(grant.Closed)
		g.Renewed(grant.Now(), grant.Now().Add(time.Hour), time.Hour)
		g.NotRenewed(true, errNoAnswer)
		lost(t, level.Err(), recipes.ReasonTaken)
		require.False(t, g.Live())
		require.Equal(t, 1, store.seen().lost)
		require.Equal(t, []string{grant.EventLost}, k.kinds())
		_, err := g.Open(nil, grant.Options{})
		lost(t, err, recipes.ReasonTaken)
	})
}

func TestReasonOfAnExpiryIsWhatLedToIt(t *testing.T) {
	const lease = 30 * time.Second
	for _, c := range []struct {
		name   string
		policy grant.Policy
		before func(g *grant.Grant)
		want   recipes.Reason
	}{
		{"nothing was heard of a renewal", grant.Policy{Lease: lease}, func(*grant.Grant) {}, recipes.ReasonExpired},
		{"renewals got no answer", grant.Policy{Lease: lease}, func(g *grant.Grant) { g.NotRenewed(true, errNoAnswer) }, recipes.ReasonDisconnected},
		{"renewals were refused", grant.Policy{Lease: lease}, func(g *grant.Grant) { g.NotRenewed(false, errNoAnswer) }, recipes.ReasonExpired},
		{"a lease", grant.Policy{Lease: lease, Leased: true}, func(*grant.Grant) {}, recipes.ReasonLeaseOver},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newKeeper(t)
				g, _ := k.start(c.policy, lease)
				level := open(t, g, nil, grant.Options{})
				c.before(g)
				start := time.Now()
				<-level.Over()
				synctest.Wait()
				require.InDelta(t, lease, time.Since(start), float64(10*time.Millisecond))
				lost(t, level.Err(), c.want)
			})
		})
	}
}

func TestAnswerToAnOlderRequestChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.grant(30 * time.Second)
		level := open(t, g, nil, grant.Options{})
		old := grant.Now()
		time.Sleep(5 * time.Second)
		sent := grant.Now()
		g.Renewed(sent, sent.Add(30*time.Second), 30*time.Second)
		g.Renewed(old, old.Add(time.Hour), time.Hour)
		require.WithinDuration(t, sent.Add(30*time.Second), g.End(), time.Millisecond)
		require.NoError(t, level.Release(t.Context(), time.Second))
	})
}

func TestFailedRenewalPutsAtRiskAndALaterOneMakesSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.grant(30 * time.Second)
		level := open(t, g, nil, grant.Options{})
		end := g.End()
		g.NotRenewed(true, errNoAnswer)
		g.NotRenewed(true, errNoAnswer)
		require.Equal(t, end, g.End(), "validity stays where it was")
		require.NoError(t, level.Err())
		now := grant.Now()
		g.Renewed(now, now.Add(30*time.Second), 30*time.Second)
		require.Equal(t, []string{grant.EventAtRisk, grant.EventSafe}, k.kinds(), "once each")
		require.ErrorIs(t, k.events[0].Err, errNoAnswer)
		require.NoError(t, level.Release(t.Context(), time.Second))
	})
}

func TestShorterValidityHoldsBeforeTheStoreHasAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.start(grant.Policy{Lease: time.Minute, Leased: true}, time.Minute)
		level := open(t, g, nil, grant.Options{Leased: true, Lease: time.Minute})
		g.Shorten(grant.Now().Add(time.Hour))
		require.WithinDuration(t, time.Now().Add(time.Minute), level.ValidUntil(), time.Second, "it never lengthens")
		g.Shorten(grant.Now().Add(time.Second))
		start := time.Now()
		<-level.Over()
		synctest.Wait()
		require.InDelta(t, time.Second, time.Since(start), float64(10*time.Millisecond))
	})
}

func TestReleaseIsNoLossHoweverLateTheStoreAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, store := k.grant(time.Second)
		level := open(t, g, nil, grant.Options{})
		require.NoError(t, level.Release(t.Context(), time.Second))
		time.Sleep(5 * time.Second)
		released(t, level.Err())
		require.False(t, g.Live())
		require.Zero(t, store.seen().lost)
		require.Equal(t, []int{0}, store.seen().released)
		require.Equal(t, []string{grant.EventReleased}, k.kinds())
	})
}

func TestAfterALossTheStoreIsLeftAloneUntilAllWorkHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, store := k.grant(time.Second)
		outer := open(t, g, nil, grant.Options{})
		inner := open(t, g, outer, grant.Options{})
		<-inner.Over()
		synctest.Wait()
		lost(t, outer.Release(t.Context(), time.Second), recipes.ReasonExpired)
		require.Zero(t, store.seen().discards)
		lost(t, inner.Release(t.Context(), time.Second), recipes.ReasonExpired)
		require.Equal(t, 1, store.seen().discards)
		released(t, inner.Release(t.Context(), time.Second))
		require.Equal(t, 1, store.seen().discards)
		require.Empty(t, store.seen().released)
	})
}
