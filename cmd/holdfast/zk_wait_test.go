package main_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestZKNotAcquiredHasItsOwnCode(t *testing.T) {
	for _, layout := range []string{"curator", "single-node"} {
		t.Run(layout, func(t *testing.T) {
			z := sharedZoo(t)
			h := z.holder("--layout", layout)
			stored := z.children()
			for _, wait := range []string{"0", "1s"} {
				r := z.run("--layout", layout, "--wait", wait, "--", "echo", "ran")
				r.ends(120)
				require.Empty(t, r.out.String(), "the command must not run")
				require.Contains(t, r.err.String(), "not acquired")
			}
			require.Equal(t, stored, z.children(), "nothing of the waits is left")
			h.endsOnTerm()
		})
	}
}

func TestZKWaitersRunInTheirOrder(t *testing.T) {
	z := sharedZoo(t)
	h := z.holder()
	idling := []string{"--wait", "1m", "--", "sh", "-c", "echo mine; exec sleep 1000"}
	first := z.run(idling...)
	z.standing(2)
	second := z.run(idling...)
	z.standing(3)
	require.Empty(t, first.out.String())
	h.endsOnTerm()
	first.says("mine")
	require.Empty(t, second.out.String())
	first.endsOnTerm()
	second.says("mine")
	second.endsOnTerm()
	require.Empty(t, z.children())
}

func TestZKASignalEndsTheWaitAndLeavesNothing(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			z := sharedZoo(t)
			h := z.holder()
			w := z.run("--", "echo", "ran")
			z.standing(2)
			w.signal(sig)
			w.ends(128 + int(sig))
			require.Empty(t, w.out.String(), "the command must not run")
			require.Equal(t, []string{fieldOf(t, h.out.String(), "owner")}, z.children())
			h.endsOnTerm()
		})
	}
}

func TestZKServersThatAreNotThereHaveTheirOwnCode(t *testing.T) {
	z := zooOn(t, stores.ZooKeeper(t))
	require.NoError(t, z.Kill())
	var all []*running
	for _, args := range [][]string{
		z.at("run", "--wait", "0", "--", "echo", "ran"),
		z.at("run", "--wait", "300ms", "--", "echo", "ran"),
		z.at("inspect"),
		z.at("force-release", "--owner", "x"),
		z.at("revoke", "--owner", "x"),
		{"demo", "--zk", z.Addr()},
	} {
		all = append(all, start(t, args...))
	}
	for _, r := range all {
		r.ends(122)
		require.NotContains(t, r.out.String(), "ran")
		require.Contains(t, r.err.String(), "connection refused")
	}
}

func TestZKALongWaitForServersIsReported(t *testing.T) {
	z := zooOn(t, stores.ZooKeeper(t))
	require.NoError(t, z.Kill())
	ends, ended := z.run("--", "true"), z.run("--", "true")
	for _, r := range []*running{ends, ended} {
		require.Eventually(t, func() bool { return r.err.String() != "" }, patience, often)
		require.Contains(t, r.err.String(), "does not answer yet")
	}
	ended.signal(syscall.SIGTERM)
	ended.ends(128 + 15)
	require.NoError(t, z.Start(t.Context()))
	ends.ends(0)
}

func TestZKAnotherKindOfLockIsNotTouched(t *testing.T) {
	z := sharedZoo(t)
	z.plant("")
	reader := z.plant("_c_5b76960a-6fd3-4581-9880-fff5953b3dc6-__READ__0000000000")
	r := z.run("--", "echo", "ran")
	r.ends(122)
	require.Empty(t, r.out.String())
	r = start(t, z.at("inspect")...)
	r.ends(122)
	require.Contains(t, r.err.String(), "another kind of lock")
	require.Equal(t, []string{reader}, z.children())
}
