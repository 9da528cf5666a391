package main_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/faultproxy"
	"github.com/holdfast-go/holdfast/internal/stores"
)

// holder is a run that holds the test's lock until it is told to end.
func holder(t *testing.T, s *stores.Server, flags ...string) *running {
	t.Helper()
	r := start(t, under(t, s, append(flags, "--", "sh", "-c", "echo owner=$HOLDFAST_OWNER; exec sleep 1000")...)...)
	r.says("\n")
	return r
}

func (r *running) endsOnTerm() {
	r.t.Helper()
	r.signal(syscall.SIGTERM)
	r.ends(128 + int(syscall.SIGTERM))
}

// waiting returns when somebody listens for the release of the test's lock.
func waiting(t *testing.T, s *stores.Server) {
	t.Helper()
	channel := "redisson_lock__channel:{" + lockName(t) + "}"
	require.Eventually(t, func() bool {
		n, err := s.Client(t).PubSubNumSub(t.Context(), channel).Result()
		return err == nil && n[channel] > 0
	}, patience, often)
}

func TestNotAcquiredHasItsOwnCode(t *testing.T) {
	s := stores.Shared(t)
	h := holder(t, s)
	for _, wait := range []string{"0", "150ms"} {
		r := start(t, under(t, s, "--wait", wait, "--", "echo", "ran")...)
		r.ends(120)
		require.Empty(t, r.out.String(), "the command must not run")
		require.Contains(t, r.err.String(), "not acquired")
	}
	stored, err := s.Client(t).HKeys(t.Context(), lockName(t)).Result()
	require.NoError(t, err)
	require.Equal(t, []string{fieldOf(t, h.out.String(), "owner")}, stored)
	h.endsOnTerm()
	nothingLeft(t, s, lockName(t))
}

func TestAWaiterRunsWhenTheLockIsFree(t *testing.T) {
	s := stores.Shared(t)
	h := holder(t, s)
	w := start(t, under(t, s, "--wait", "1m", "--", "echo", "ran")...)
	waiting(t, s)
	require.Empty(t, w.out.String())
	h.endsOnTerm()
	w.ends(0)
	require.Equal(t, "ran\n", w.out.String())
	nothingLeft(t, s, lockName(t))
}

func TestASignalEndsTheWaitAndLeavesNothing(t *testing.T) {
	s := stores.Shared(t)
	for name, sig := range map[string]syscall.Signal{
		"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1,
	} {
		t.Run(name, func(t *testing.T) {
			h := holder(t, s)
			w := start(t, under(t, s, "--", "echo", "ran")...)
			waiting(t, s)
			w.signal(sig)
			w.ends(128 + int(sig))
			require.Empty(t, w.out.String(), "the command must not run")
			stored, err := s.Client(t).HKeys(t.Context(), lockName(t)).Result()
			require.NoError(t, err)
			require.Equal(t, []string{fieldOf(t, h.out.String(), "owner")}, stored)
			h.endsOnTerm()
			nothingLeft(t, s, lockName(t))
		})
	}
}

func TestASignalUndoesAGrantThatNobodyHeardOf(t *testing.T) {
	s := stores.Shared(t)
	p := faultproxy.New(t, s.Addr())
	unheard := p.OnRequest(faultproxy.Script(lockName(t)), faultproxy.SwallowReply())
	r := start(t, "run", "--redis", p.Addr(), "--name", lockName(t), "--", "echo", "ran")
	select {
	case <-unheard.Hit():
	case <-time.After(patience):
		t.Fatal("the lock was never asked for")
	}
	r.signal(syscall.SIGTERM)
	r.ends(128 + 15)
	require.Empty(t, r.out.String(), "the command must not run")
	require.Empty(t, keysOf(t, s, lockName(t)), "it was undone before the end, not with the lease")
}

func TestAStoreThatIsNotThereHasItsOwnCode(t *testing.T) {
	s := stores.Single(t)
	require.NoError(t, s.Kill())
	for _, args := range [][]string{
		under(t, s, "--wait", "0", "--", "echo", "ran"),
		under(t, s, "--wait", "200ms", "--", "echo", "ran"),
		{"inspect", "--redis", s.Addr(), "-n", "x"},
		{"force-release", "--redis", s.Addr(), "-n", "x", "--owner", "y"},
		{"demo", "--redis", s.Addr()},
	} {
		r := start(t, args...)
		r.ends(122)
		require.NotContains(t, r.out.String(), "ran")
		require.Contains(t, r.err.String(), "connection refused")
	}
}

func TestALongWaitForAStoreIsReported(t *testing.T) {
	s := stores.Single(t)
	require.NoError(t, s.Kill())
	r := start(t, under(t, s, "--", "true")...)
	require.Eventually(t, func() bool { return r.err.String() != "" }, patience, often)
	require.Contains(t, r.err.String(), "does not answer yet")
	require.NoError(t, s.Start(t.Context()))
	r.ends(0)
}

func TestOtherDataUnderTheNameIsNotTouched(t *testing.T) {
	s := stores.Shared(t)
	require.NoError(t, foreign(t, s).RPush(t.Context(), lockName(t), "not a lock").Err())
	r := start(t, under(t, s, "--", "echo", "ran")...)
	r.ends(122)
	require.Empty(t, r.out.String())
	got, err := s.Client(t).LRange(t.Context(), lockName(t), 0, -1).Result()
	require.NoError(t, err)
	require.Equal(t, []string{"not a lock"}, got)
}

func TestThePasswordComesFromTheEnvironment(t *testing.T) {
	s := stores.Single(t, stores.WithConfig("user eve on >secret ~* &* +@all"))
	args := under(t, s, "--username", "eve", "--", "true")
	start(t, append([]string{"REDIS_PASSWORD=secret"}, args...)...).ends(0)
	r := start(t, append([]string{"REDIS_PASSWORD=wrong"}, args...)...)
	r.ends(122)
	require.Contains(t, r.err.String(), "WRONGPASS")
}

func TestTheServerComesFromTheEnvironment(t *testing.T) {
	s := stores.Shared(t)
	start(t, "HOLDFAST_REDIS="+s.Addr(), "run", "-n", lockName(t), "--", "true").ends(0)
}
