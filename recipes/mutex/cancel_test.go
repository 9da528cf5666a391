package mutex_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// A request that the server carries out long after its caller has gone: the
// undo has come before it, and its mark turns the request away.
func TestAcquireThatArrivesLateLeavesNoKey(t *testing.T) {
	t.Parallel()
	rounds := 1000
	r := newRig(t)
	m := r.warm(r.broken())
	for range rounds {
		ctx, cancel := context.WithCancel(t.Context())
		late := r.proxy.OnRequest(runs(t, "acquire.lua"), faultproxy.HoldAndReset())
		undone := r.proxy.OnRequest(runs(t, "release.lua"), faultproxy.DelayRequest(0))
		go func() {
			<-late.Hit()
			cancel()
		}()
		_, err := m.Lock(ctx)
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.ErrorIs(t, err, context.Canceled)
		<-undone.Hit()
		eventually(t, "the undo leaves its mark", func() bool {
			return len(r.marks()) > 0
		})
		late.Release()
		eventually(t, "the late request has been carried out", func() bool {
			for _, c := range r.proxy.Commands() {
				if runs(t, "acquire.lua")(c.Request) && !c.Answered {
					return false
				}
			}
			return true
		})
		release(t, lockIn(t, m, slack)) // on the server behind the late request
		require.Empty(t, r.levels())
		r.wipe()
		r.proxy.Reset()
	}
}

func TestCancelledLockReturnsAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	holder, m := r.straight(), r.warm(r.broken(withLease(30*time.Second)))
	h, err := holder.Lock(t.Context())
	require.NoError(t, err)
	// late is how long after the end of its context a call is back, and how long a
	// goroutine needs on this machine that only waits for the same.
	late := func(wait time.Duration) (call, bare time.Duration) {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		end, _ := ctx.Deadline()
		waited := make(chan time.Duration, 1)
		go func() {
			<-ctx.Done()
			waited <- time.Since(end)
		}()
		_, err := m.Lock(ctx)
		call = time.Since(end)
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return call, <-waited
	}
	for _, c := range []struct {
		what  string
		spoil func()
	}{
		{"store reachable", func() {}},
		{"store silent", func() { r.proxy.Blackhole(faultproxy.Both, true) }},
		{"store gone", func() { require.NoError(t, r.proxy.Refuse(true)); r.proxy.Cut() }},
	} {
		c.spoil()
		var lates, bares []time.Duration
		for range 41 {
			call, bare := late(time.Duration(rand.Int64N(int64(30 * time.Millisecond))))
			lates, bares = append(lates, call), append(bares, bare)
		}
		slices.Sort(lates)
		slices.Sort(bares)
		t.Logf("%s: back %v after the end of the context in the middle, %v at most; who only waits, %v", c.what, lates[20], lates[40], bares[20])
		require.Less(t, lates[20], 3*bares[20]+5*time.Millisecond)
	}
	release(t, h)
}

// BL-10, BL-18: an error means that nothing is held, and nothing is left.
func TestBL18CancelAtAnyMomentLeavesNothing(t *testing.T) {
	t.Parallel()
	rounds := 500
	if os.Getenv("HOLDFAST_LONG") != "" {
		rounds = 10000
	}
	r := newRig(t)
	m := r.warm(r.broken())
	r.proxy.Delay(faultproxy.Both, time.Millisecond)
	granted := 0
	for range rounds {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.Int64N(int64(12*time.Millisecond))))
		h, err := m.Lock(ctx)
		if err == nil {
			granted++
			<-ctx.Done()
			require.NoError(t, h.Release(ctx), "a release works after the end of its context")
			cancel()
			continue
		}
		cancel()
		require.Nil(t, h)
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	t.Logf("%d of %d were granted before their end", granted, rounds)
	require.NotZero(t, granted)
	require.Less(t, granted, rounds)
	r.free(soon + lease)
	renewals := r.proxy.Count(renews(t))
	pass(2 * lease)
	require.Equal(t, renewals, r.proxy.Count(renews(t)), "nothing is renewed")
}

// BL-11: with a store that stands still, is away, or answers that it cannot,
// every call is back when its time is up.
func TestBL11EveryCallEndsInTime(t *testing.T) {
	t.Parallel()
	const most = 500 * time.Millisecond
	spoil := map[string]func(*rig){
		"silent":  func(r *rig) { r.proxy.Blackhole(faultproxy.Both, true) },
		"refused": func(r *rig) { _ = r.proxy.Refuse(true); r.proxy.Cut() },
	}
	for _, line := range []string{
		"BUSY Redis is busy running a script", "LOADING Redis is loading the dataset in memory",
		"READONLY You can't write against a read only replica.", "CLUSTERDOWN The cluster is down",
		"TRYAGAIN Multiple keys request during rehashing of slot", "MASTERDOWN Link with MASTER is down",
	} {
		spoil[line] = func(r *rig) { r.proxy.OnEveryRequest(faultproxy.Script(r.name), faultproxy.ReplyError(line)) }
	}
	for what, f := range spoil {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			m := r.warm(r.broken(rediscore.WithReleaseBudget(most)))
			h, err := m.Lock(t.Context())
			require.NoError(t, err)
			f(r)
			for verb, call := range map[string]func(context.Context) error{
				"try":     func(ctx context.Context) error { _, err := m.TryLock(ctx); return err },
				"lock":    func(ctx context.Context) error { _, err := m.Lock(ctx); return err },
				"extend":  func(ctx context.Context) error { return h.Extend(ctx, 0) },
				"inspect": func(ctx context.Context) error { _, err := m.Inspect(ctx); return err },
				"release": h.Release,
			} {
				ctx, cancel := context.WithTimeout(t.Context(), most)
				start := time.Now()
				err := call(ctx)
				cancel()
				require.Error(t, err, verb)
				require.Less(t, time.Since(start), most+300*time.Millisecond, verb)
				require.ErrorContains(t, err, r.name[:10], verb)
			}
		})
	}
}

func TestWaitThatEndsBeforeTheStoreAnswersIsUnavailable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	m := r.warm(r.broken())
	r.proxy.Blackhole(faultproxy.Both, true)
	_, err := m.Lock(t.Context(), recipes.WithWait(100*time.Millisecond))
	require.ErrorIs(t, err, recipes.ErrUnavailable)
	require.False(t, errors.Is(err, recipes.ErrNotAcquired))
}
