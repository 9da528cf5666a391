package main_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

type status struct {
	Name, Recipe string
	Held         bool
	Free         int
	Holders      []struct {
		Owner   string
		Count   int
		LeaseMS *int64 `json:"lease_ms"`
		Fence   *int64
	}
}

func inspected(t *testing.T, s *stores.Server, flags ...string) status {
	t.Helper()
	r := start(t, append([]string{"inspect", "--redis", s.Addr(), "--name", lockName(t), "--json"}, flags...)...)
	r.ends(0)
	var got status
	require.NoError(t, json.Unmarshal([]byte(r.out.String()), &got), r.out.String())
	require.Equal(t, lockName(t), got.Name)
	require.Equal(t, "mutex", got.Recipe)
	return got
}

func TestInspectShowsTheHolderWhateverTheLayout(t *testing.T) {
	s := stores.Shared(t)
	for _, layout := range []string{"redisson", "fenced", "plain"} {
		t.Run(layout, func(t *testing.T) {
			require.False(t, inspected(t, s).Held)
			h := holder(t, s, "--layout", layout)
			got := inspected(t, s)
			require.True(t, got.Held)
			require.Zero(t, got.Free)
			require.Len(t, got.Holders, 1)
			one := got.Holders[0]
			require.Equal(t, fieldOf(t, h.out.String(), "owner"), one.Owner)
			require.Equal(t, 1, one.Count)
			require.NotNil(t, one.LeaseMS)
			require.Greater(t, *one.LeaseMS, int64(0))
			require.LessOrEqual(t, *one.LeaseMS, (30 * time.Second).Milliseconds())
			require.Equal(t, layout == "fenced", one.Fence != nil)
			require.Equal(t, got.Holders[0].Owner, inspected(t, s, "--layout", layout).Holders[0].Owner)
			h.endsOnTerm()
			require.False(t, inspected(t, s).Held)
		})
	}
}

func TestInspectShowsWhatJavaStored(t *testing.T) {
	s := stores.Shared(t)
	require.NoError(t, foreign(t, s).HSet(t.Context(), lockName(t), "3e5a:17", 2).Err())
	r := start(t, "inspect", "--redis", s.Addr(), "--name", lockName(t))
	r.ends(0)
	require.Equal(t, "mutex "+lockName(t)+": held\n"+
		"  holder  3e5a:17  levels 2  no lease\n"+
		"  waiters are not recorded by this kind of lock\n", r.out.String())
}

func TestInspectRefusesOtherData(t *testing.T) {
	s := stores.Shared(t)
	require.NoError(t, foreign(t, s).RPush(t.Context(), lockName(t), "x").Err())
	r := start(t, "inspect", "--redis", s.Addr(), "--name", lockName(t))
	r.ends(122)
	require.Contains(t, r.err.String(), "list")
}

func TestForceReleaseTakesTheLockFromThatOwnerAlone(t *testing.T) {
	s := stores.Shared(t)
	for _, layout := range []string{"redisson", "fenced", "plain"} {
		t.Run(layout, func(t *testing.T) {
			h := holder(t, s, "--layout", layout, "--watchdog-lease", "600ms")
			force := []string{"force-release", "--redis", s.Addr(), "--name", lockName(t), "--owner"}
			start(t, append(force, "somebody")...).ends(1)
			require.NotEmpty(t, keysOf(t, s, lockName(t)))
			r := start(t, append(force, fieldOf(t, h.out.String(), "owner"))...)
			r.ends(0)
			require.Contains(t, r.out.String(), "released")
			h.ends(121)
			require.Empty(t, keysOf(t, s, lockName(t)))
		})
	}
}
