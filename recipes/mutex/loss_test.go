package mutex_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
)

// lostBy waits for the loss of a hold and returns when it was noticed.
func lostBy(t *testing.T, h *recipes.Hold, ctx context.Context, within time.Duration) time.Time {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(within):
		require.Fail(t, "not told")
	}
	noticed := time.Now()
	require.ErrorIs(t, h.Err(), recipes.ErrLost)
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), recipes.ErrLost)
	return noticed
}

func TestBL25DeletedKeyIsNoticed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.straight()
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.oracle.Del(t.Context(), r.name).Err())
	lostBy(t, h, h.Context(t.Context()), lease/3+slack)
	require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Err()))
	require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Release(t.Context())))
	require.ErrorIs(t, h.Extend(t.Context(), 0), recipes.ErrLost)
}

func TestBL19OwnerThatTookOverIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	h, err := r.straight().Lock(t.Context())
	require.NoError(t, err)
	pipe := r.oracle.TxPipeline()
	pipe.Del(t.Context(), r.name)
	pipe.HSet(t.Context(), r.name, "somebody:1", 1)
	pipe.PExpire(t.Context(), r.name, time.Minute)
	_, err = pipe.Exec(t.Context())
	require.NoError(t, err)
	lostBy(t, h, h.Context(t.Context()), lease/3+slack)
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
	require.Equal(t, map[string]string{"somebody:1": "1"}, r.levels())
	ttl, err := r.oracle.PTTL(t.Context(), r.name).Result()
	require.NoError(t, err)
	require.Greater(t, ttl, 50*time.Second)
}

func TestBL07ReleaseAfterTheLeaseSaysLost(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprintf("taken by another %v", taken), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			m, other := r.straight(), r.straight()
			h, err := m.Lock(t.Context(), recipes.WithLease(200*time.Millisecond))
			require.NoError(t, err)
			<-h.Done()
			want := map[string]string{}
			if taken {
				b := lockIn(t, other, slack)
				defer release(t, b)
				want[b.Owner()] = "1"
			} else {
				r.free(slack)
			}
			require.Equal(t, recipes.ReasonLeaseOver, lostReason(t, h.Release(t.Context())))
			require.Equal(t, want, r.levels())
		})
	}
}

// Cut off in every way, at every phase of a renewal: the holder is told before
// the store can let another in, as seen by a second client.
func TestBL110CutOffHolderIsToldBeforeTheNextGetsIn(t *testing.T) {
	t.Parallel()
	cuts := map[string]func(*rig){
		"silence":  func(r *rig) { r.proxy.Blackhole(faultproxy.Both, true) },
		"one way":  func(r *rig) { r.proxy.Blackhole(faultproxy.ToClient, true) },
		"refusal":  func(r *rig) { _ = r.proxy.Refuse(true); r.proxy.Cut() },
		"standing": func(r *rig) { r.proxy.Pause(faultproxy.ToServer) },
	}
	for how, cut := range cuts {
		for phase := range 4 {
			t.Run(fmt.Sprintf("%s %d", how, phase), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				m, other := r.warm(r.broken()), r.straight()
				h, err := m.Lock(t.Context())
				require.NoError(t, err)
				ctx := h.Context(t.Context())
				pass(time.Duration(phase) * lease / 12)
				entered := make(chan time.Time, 1)
				go func() {
					if next, err := other.Lock(t.Context()); err == nil {
						entered <- time.Now()
						_ = next.Release(t.Context())
					}
				}()
				cut(r)
				told := lostBy(t, h, ctx, lease+slack)
				next := <-entered
				require.True(t, told.Before(next), "told %v after the next was in", told.Sub(next))
			})
		}
	}
}

// The same client, the same name: after a loss and healing all is new.
func TestBL110LockWorksAgainAfterALoss(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.warm(r.broken())
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	r.proxy.Blackhole(faultproxy.Both, true)
	lostBy(t, h, h.Context(t.Context()), lease+slack)
	r.proxy.Blackhole(faultproxy.Both, false)
	r.proxy.Cut()
	release(t, lockIn(t, m, lease+slack))
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
}

func TestServerThatStandsStillForHalfALeaseCostsNothing(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	h, err := r.straight().Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.server.Pause())
	pass(lease / 2)
	require.NoError(t, r.server.Resume())
	pass(2 * lease)
	require.NoError(t, h.Err())
	release(t, h)
}

func TestServerThatStandsStillForTwoLeasesIsALoss(t *testing.T) {
	t.Parallel()
	r := rigOn(t, stores.Single(t))
	h, err := r.straight().Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.server.Pause())
	start := time.Now()
	noticed := lostBy(t, h, h.Context(t.Context()), lease+slack)
	require.Less(t, noticed.Sub(start), lease+100*time.Millisecond)
	require.Equal(t, recipes.ReasonDisconnected, lostReason(t, h.Err()))
	require.NoError(t, r.server.Resume())
	require.ErrorIs(t, h.Err(), recipes.ErrLost, "there is no way back")
}

func TestBL109ShortRestartCostsNothing(t *testing.T) {
	t.Parallel()
	server := stores.Single(t, stores.WithConfig("appendonly yes", "appendfsync always"))
	r := rigOn(t, server)
	const long = 6 * time.Second
	m := r.straight(withLease(long))
	h, err := m.Lock(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Restart(t.Context()))
	waiting := make(chan *recipes.Hold, 1)
	wait := r.wait(t.Context(), r.straight(withLease(long)), waiting)
	pass(long)
	require.NoError(t, h.Err())
	release(t, h)
	require.NoError(t, wait())
	release(t, <-waiting)
}

// BL-08: every grant has the lease of its own call.
func TestBL08LeasesDoNotMixUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.straight()
	for range 50 {
		h, err := m.Lock(t.Context(), recipes.WithLease(time.Minute))
		require.NoError(t, err)
		ttl, err := r.oracle.PTTL(t.Context(), r.name).Result()
		require.NoError(t, err)
		require.InDelta(t, time.Minute, ttl, float64(5*time.Second))
		release(t, h)
		h, err = m.Lock(t.Context())
		require.NoError(t, err)
		ttl, err = r.oracle.PTTL(t.Context(), r.name).Result()
		require.NoError(t, err)
		require.LessOrEqual(t, ttl, lease)
		release(t, h)
	}
	h, err := m.Lock(t.Context(), recipes.WithLease(300*time.Millisecond))
	require.NoError(t, err)
	release(t, h)
	h, err = m.Lock(t.Context())
	require.NoError(t, err)
	pass(3 * lease)
	require.NoError(t, h.Err())
	require.Equal(t, map[string]string{h.Owner(): "1"}, r.levels())
	release(t, h)
}
