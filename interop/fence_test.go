package interop_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func besideFenced(t *testing.T, f func(t *testing.T, p *pair)) {
	beside(t, onServer, func(t *testing.T, p *pair) {
		if p.layout.name != fenced.name {
			if len(layoutsOf(p.version)) == 1 { // and it says so
				_, err := p.java.Thread("t1").Fenced("none").LockAndGetToken(soon(t), peer.Watchdog)
				require.ErrorIs(t, err, peer.ErrNoRecipe)
			}
			return
		}
		f(t, p)
	})
}

// tokens are those of the turns on one name, in the order of the turns.
type tokens struct {
	p    *pair
	name string
	mu   sync.Mutex // for the race detector: the lock itself keeps the turns apart
	all  []int64
}

func (k *tokens) add(token int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, token)
}

func (k *tokens) inGo(ctx context.Context) error {
	return recipes.Do(ctx, k.p.mutex(k.name), func(_ context.Context, h *recipes.Hold) error {
		token, ok := h.Fence()
		if !ok {
			return errors.New("a hold without a token")
		}
		k.add(token)
		return nil
	})
}

func (k *tokens) inJava(ctx context.Context, thread string) error {
	j := k.p.java.Thread(thread).Fenced(k.name)
	token, err := j.LockAndGetToken(ctx, peer.Watchdog)
	if err != nil {
		return err
	}
	k.add(token)
	return j.Unlock(ctx)
}

func TestFencedTokensGrowAcrossLanguages(t *testing.T) {
	besideFenced(t, func(t *testing.T, p *pair) {
		ctx, before := soon(t), time.Now()
		k := &tokens{p: p, name: "Go is first"}
		for range 4 {
			require.NoError(t, k.inGo(ctx))
			require.NoError(t, k.inJava(ctx, "t1"))
		}
		require.IsIncreasing(t, k.all)
		require.GreaterOrEqual(t, k.all[0], before.UnixMicro(), "a counter that Go starts, starts at the time")
		require.Equal(t, k.all[0]+7, k.all[7], "and each of eight turns counted once")

		k = &tokens{p: p, name: "Java is first"}
		for range 4 {
			require.NoError(t, k.inJava(ctx, "t1"))
			require.NoError(t, k.inGo(ctx))
		}
		require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8}, k.all)
		current, err := p.java.Thread("t1").Fenced(k.name).Token(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 8, current)
	})
}

// The tokens of a row of hand-overs, and of Java's turns between two rows.
func TestFencedTokensFollowTheTurns(t *testing.T) {
	besideFenced(t, func(t *testing.T, p *pair) {
		k := &tokens{p: p, name: "crowded"}
		all, ctx := errgroup.WithContext(soon(t))
		for range 6 {
			all.Go(func() error { return times(20, func() error { return k.inGo(ctx) }) })
		}
		for _, thread := range []string{"t1", "t2"} {
			all.Go(func() error { return times(10, func() error { return k.inJava(ctx, thread) }) })
		}
		require.NoError(t, all.Wait())
		require.Len(t, k.all, 140)
		require.IsIncreasing(t, k.all)
	})
}

func times(n int, f func() error) error {
	for range n {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// Redisson counts on when a thread goes a level deeper; Go does not, or the
// outer level's writes would be refused. Both stay below the next turn.
func TestH05ReentryKeepsTokensBelowTheNextTurn(t *testing.T) {
	besideFenced(t, func(t *testing.T, p *pair) {
		ctx, m, j := soon(t), p.mutex("deep"), p.java.Thread("t1").Fenced("deep")
		var all []int64
		for range 2 {
			for range 2 {
				token, err := j.LockAndGetToken(ctx, peer.Watchdog)
				require.NoError(t, err)
				all = append(all, token)
			}
			require.NoError(t, j.Unlock(ctx))
			require.NoError(t, j.Unlock(ctx))

			h := hold(t, m)
			inner, err := m.Lock(h.Context(ctx))
			require.NoError(t, err)
			outer, _ := h.Fence()
			token, ok := inner.Fence()
			require.True(t, ok)
			require.Equal(t, outer, token)
			all = append(all, token)
			require.NoError(t, inner.Release(ctx))
			require.NoError(t, h.Release(ctx))
		}
		require.IsIncreasing(t, all)
	})
}

func TestForcedReleaseRaisesTheTokenThatJavaIsGiven(t *testing.T) {
	besideFenced(t, func(t *testing.T, p *pair) {
		ctx, m, j := soon(t), p.mutex("raised"), p.java.Thread("t1").Fenced("raised")
		first, err := j.LockAndGetToken(ctx, peer.Watchdog)
		require.NoError(t, err)
		s, err := m.Inspect(ctx)
		require.NoError(t, err)
		at := slices.IndexFunc(s.Holders, func(h recipes.Holder) bool { return h.HasFence && h.Fence == first })
		require.Zero(t, at, "Go sees Java's token: %+v", s.Holders)
		require.NoError(t, m.ForceRelease(ctx, s.Holders[at]))
		require.ErrorIs(t, j.Unlock(ctx), peer.ErrNotOwner)
		next, err := j.LockAndGetToken(ctx, peer.Watchdog)
		require.NoError(t, err)
		require.Greater(t, next, first+1, "one for the forced release, so that the old holder's writes are refused")
		require.NoError(t, j.Unlock(ctx))
	})
}
