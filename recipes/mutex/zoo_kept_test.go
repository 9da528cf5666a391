package mutex_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

// The siblings, on a real server, of the tests in virtual time.

func TestZooHoldOutlivesItsTimeoutBesideAWaiter(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	h := lockIn(t, r.straight(), patience)
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), r.straight(), 1, got)
	start := time.Now()
	for time.Since(start) < 3*session {
		<-time.After(session / 10)
		require.NoError(t, h.Err())
		require.Greater(t, time.Until(h.ValidUntil()), time.Duration(0))
		require.Empty(t, got)
	}
	require.Zero(t, r.events.count(recipes.EventAtRisk))
	release(t, h)
	release(t, <-got)
}

func TestZooLeaseEndsTheHoldFirstAndThenTheNode(t *testing.T) {
	t.Parallel()
	for layout, opts := range zooLayouts {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			m := r.straight(opts...)
			other := r.straight(opts...)
			const lease = 3 * session
			start := time.Now()
			h, err := m.Lock(t.Context(), recipes.WithLease(lease))
			require.NoError(t, err)
			<-h.Done()
			require.Equal(t, recipes.ReasonLeaseOver, lostReason(t, h.Err()))
			require.Less(t, time.Since(start), lease)
			next := lockIn(t, other, 2*session)
			require.GreaterOrEqual(t, time.Since(start), lease, "late, never early")
			require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
			require.NoError(t, next.Extend(t.Context(), 0))
			release(t, next)
		})
	}
}

// BL-90: in every phase between two heartbeats the hold ends before the server
// can end the session.
func TestZooBL90LossCountsFromTheLastAnswerInEveryPhase(t *testing.T) {
	t.Parallel()
	for phase := range 6 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			m, other := r.broken(), r.straight()
			require.Positive(t, r.cutAfter(m, other, session+time.Duration(phase)*session/24))
		})
	}
}

// cutAfter is cutRound with a hold of that age.
func (r *zooRig) cutAfter(m, other *mutex.Mutex, age time.Duration) time.Duration {
	r.t.Helper()
	h := lockIn(r.t, m, time.Second)
	<-time.After(age)
	granted := make(chan time.Time, 1)
	go func() {
		next, err := other.Lock(context.Background())
		at := time.Now()
		if err == nil {
			_ = next.Release(context.Background())
		}
		granted <- at
	}()
	r.tap.darken(true)
	lostBy(r.t, h, h.Context(r.t.Context()), 2*session)
	told := time.Now()
	lead := (<-granted).Sub(told)
	r.tap.darken(false)
	require.ErrorIs(r.t, h.Release(r.t.Context()), recipes.ErrLost)
	return lead
}

// BL-110: after a loss the same client locks again as soon as it can.
func TestZooBL110ClientLocksAgainAfterALongCut(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	m := r.broken()
	h := lockIn(t, m, patience)
	r.tap.darken(true)
	lostBy(t, h, h.Context(t.Context()), 2*session)
	<-time.After(session)
	r.tap.darken(false)
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
	again := lockAgain(t, m)
	require.ErrorIs(t, h.Err(), recipes.ErrLost, "for good")
	release(t, again)
	r.free(slack)
}

// BL-41, BL-101: a refused try whose delete is cut off leaves nothing for long.
func TestZooBL101RefusedTryIsTakenAwayAlthoughItsDeleteWasCut(t *testing.T) {
	t.Parallel()
	for name, does := range fates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			h := lockIn(t, r.straight(), patience)
			m := r.broken()
			first := true
			r.tap.decide(func(q zooRequest) fate {
				if q.op == "delete" && first {
					first = false
					return does
				}
				return letPass
			})
			_, err := m.TryLock(t.Context())
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			eventually(t, "its node goes", func() bool { return len(r.children()) == 1 })
			release(t, h)
			release(t, lockIn(t, r.straight(), time.Second))
		})
	}
}

func TestZooOutageEndsWaitersAfterOneSessionTimeoutAndTriesAfterAThird(t *testing.T) {
	t.Parallel()
	r := zooRigOn(t, stores.ZooKeeper(t))
	h := lockIn(t, r.straight(), patience)
	m := r.straight()
	ends := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := m.Lock(context.Background())
			ends <- err
		}()
	}
	eventually(t, "all wait", func() bool { return r.events.count(recipes.EventWaiting) == 3 })
	require.NoError(t, r.server.Pause())
	start := time.Now()
	for range 3 {
		err := <-ends
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		require.NotErrorIs(t, err, context.DeadlineExceeded, "none of the caller's")
	}
	require.Greater(t, time.Since(start), session/2)
	require.Less(t, time.Since(start), session*2+slack)
	start = time.Now()
	_, err := m.TryLock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.Less(t, time.Since(start), session/3+slack)
	require.NoError(t, r.server.Resume())
	_ = h.Release(t.Context())
	release(t, lockAgain(t, m))
	r.free(10 * time.Second)
}

// Curator's ExponentialBackoffRetry(50, 3, 200) in its sense.
func TestZooCountOfTriesEndsACallLongBeforeTheSessionsTimeout(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client(zkcore.WithDialer(r.tap.dial), zkcore.WithRetry(50*time.Millisecond, 3, 200*time.Millisecond), longSession)
	m := mutex.NewZooKeeper(c, r.path)
	h := lockIn(t, m, patience)
	r.tap.cut(true)
	eventually(t, "the loss of the connection is noticed", func() bool { return r.events.count(recipes.EventAtRisk) > 0 })
	start := time.Now()
	_, err := m.Lock(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.ErrorContains(t, err, "connection is lost")
	require.Less(t, time.Since(start), 4*time.Second)
	r.tap.cut(false)
	eventually(t, "back", func() bool { return h.Extend(t.Context(), 0) == nil })
	release(t, h)
	r.free(slack)
}

// A release without an answer is unknown until the session can be over.
func TestZooReleaseWithoutAnAnswerIsUnknownAndHappensBehind(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	c := r.client(zkcore.WithDialer(r.tap.dial), zkcore.WithReleaseBudget(100*time.Millisecond), longSession)
	m := mutex.NewZooKeeper(c, r.path)
	h := lockIn(t, m, patience)
	r.tap.cut(true)
	err := h.Release(t.Context())
	require.ErrorIs(t, err, recipes.ErrUnknown)
	var u *recipes.UnknownError
	require.ErrorAs(t, err, &u)
	require.True(t, u.Until.After(time.Now()))
	require.Equal(t, r.path, u.Name)
	require.Len(t, r.children(), 1)
	r.tap.cut(false)
	healed := time.Now()
	r.free(2 * slack)
	t.Logf("gone %v after healing", time.Since(healed))
	release(t, lockIn(t, m, time.Second))
	require.False(t, errors.Is(h.Release(t.Context()), recipes.ErrLost))
}
