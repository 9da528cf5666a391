package grant_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
)

func TestRenewalIsAskedForAtAThirdOfTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.grant(30 * time.Second)
		open(t, g, nil, grant.Options{})
		time.Sleep(9*time.Second - time.Millisecond)
		synctest.Wait()
		require.Empty(t, k.batches())
		time.Sleep(time.Second + 10*time.Millisecond)
		synctest.Wait()
		require.Equal(t, [][]grant.Due{{{Grant: g, Lease: 30 * time.Second}}}, k.batches())
		time.Sleep(9 * time.Second)
		synctest.Wait()
		require.Len(t, k.batches(), 1, "the next waits for the answer to this one")

		now := grant.Now()
		g.Renewed(now, now.Add(30*time.Second), 30*time.Second)
		time.Sleep(10*time.Second + 10*time.Millisecond)
		synctest.Wait()
		require.Len(t, k.batches(), 2)
	})
}

func TestFailedRenewalIsAskedForAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.grant(30 * time.Second)
		open(t, g, nil, grant.Options{})
		time.Sleep(10*time.Second + 10*time.Millisecond)
		g.NotRenewed(true, errNoAnswer)
		time.Sleep(310 * time.Millisecond)
		synctest.Wait()
		require.Len(t, k.batches(), 2)
	})
}

func TestLeasedHoldsAreNotRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		g, _ := k.start(grant.Policy{Lease: 30 * time.Second, Leased: true}, 30*time.Second)
		level := open(t, g, nil, grant.Options{Leased: true, Lease: 30 * time.Second})
		<-level.Over()
		synctest.Wait()
		require.Empty(t, k.batches())
	})
}

func TestHoldsThatAreDueTogetherAreRenewedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		k.Ahead = 2 * time.Second // more than chance spreads them
		const holds = 20
		for range holds {
			g, _ := k.grant(30 * time.Second)
			open(t, g, nil, grant.Options{})
		}
		time.Sleep(10*time.Second + 10*time.Millisecond)
		synctest.Wait()
		require.Len(t, k.batches(), 1)
		require.Len(t, k.batches()[0], holds)
	})
}

func TestReleasedHoldsAreNotRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		stays, _ := k.grant(30 * time.Second)
		open(t, stays, nil, grant.Options{})
		g, _ := k.grant(30 * time.Second)
		level := open(t, g, nil, grant.Options{})
		time.Sleep(5 * time.Second)
		require.NoError(t, level.Release(t.Context(), time.Second))
		time.Sleep(6 * time.Second)
		synctest.Wait()
		for _, due := range k.batches() {
			require.Len(t, due, 1)
			require.Same(t, stays, due[0].Grant)
		}
		require.NotEmpty(t, k.batches())
	})
}

func TestKeeperRunsOnlyWhileThereAreHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t)
		require.False(t, keeperRuns())
		for range 3 { // and starts again
			g, _ := k.grant(30 * time.Second)
			level := open(t, g, nil, grant.Options{})
			synctest.Wait()
			require.True(t, keeperRuns())
			require.NoError(t, level.Release(t.Context(), time.Second))
			time.Sleep(2*time.Second + time.Millisecond)
			synctest.Wait()
			require.False(t, keeperRuns())
		}
	})
}

func keeperRuns() bool {
	buf := make([]byte, 1<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "(*Keeper).run")
}
