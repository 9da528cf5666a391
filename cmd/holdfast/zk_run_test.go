package main_test

import (
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func TestZKTheCommandRunsUnderANodeThatItKnows(t *testing.T) {
	z := sharedZoo(t)
	r := z.run("--", "sh", "-c", "echo name=$HOLDFAST_NAME owner=$HOLDFAST_OWNER fence=$HOLDFAST_FENCE; exec sleep 1000")
	r.says("\n")
	out := r.out.String()
	require.Equal(t, z.path, fieldOf(t, out, "name"))
	require.Equal(t, []string{fieldOf(t, out, "owner")}, z.children())
	node := z.stat(z.children()[0])
	require.NotZero(t, node.EphemeralOwner)
	fence, err := strconv.ParseInt(fieldOf(t, out, "fence"), 10, 64)
	require.NoError(t, err)
	require.Equal(t, node.Czxid, fence)
	r.endsOnTerm()
	require.Empty(t, z.children(), "it was released before the end")
	require.NotContains(t, z.Sessions(t), node.EphemeralOwner, "the session was closed")
}

func TestZKEveryLayoutIsStoredAsItSays(t *testing.T) {
	for layout, name := range map[string]string{
		"curator":     `^_c_[0-9a-f-]{36}-lock-\d{10}$`,
		"single-node": `^lock$`,
	} {
		t.Run(layout, func(t *testing.T) {
			z := sharedZoo(t)
			h := z.holder("--layout", layout)
			require.Len(t, z.children(), 1)
			require.Regexp(t, name, z.children()[0])
			h.endsOnTerm()
			require.Empty(t, z.children())
		})
	}
}

func TestZKTheExitCodeIsThatOfTheCommand(t *testing.T) {
	z := sharedZoo(t)
	z.run("--", "true").ends(0)
	z.run("--", "sh", "-c", "exit 57").ends(57)
	z.run("--", "sh", "-c", "kill -KILL $$").ends(128 + 9)
	z.run("--", "/nonexistent/command").ends(127)
	require.Empty(t, z.children())
}

func TestZKTheFencingTokenGrows(t *testing.T) {
	z := sharedZoo(t)
	last := 0
	for _, layout := range []string{"curator", "single-node"} {
		for range 2 {
			r := z.run("--layout", layout, "--fence-env", "MY_TOKEN", "--", "sh", "-c", "echo token=$MY_TOKEN$HOLDFAST_FENCE")
			r.ends(0)
			token, err := strconv.Atoi(fieldOf(t, r.out.String(), "token"))
			require.NoError(t, err)
			require.Greater(t, token, last)
			last = token
		}
	}
}

func TestZKTheNamespaceStandsInFront(t *testing.T) {
	z := sharedZoo(t)
	inner := *z
	inner.path = z.path + "/inner"
	h := inner.holder()
	z.path = "/space" + inner.path
	require.Empty(t, z.children())
	for _, namespace := range []string{"/space", "space"} {
		r := inner.run("--namespace", namespace, "--", "sh", "-c", "echo ready; exec sleep 1000")
		r.says("ready")
		require.Len(t, z.children(), 1)
		r.endsOnTerm()
	}
	h.endsOnTerm()
}

func TestZKTheServersComeFromTheEnvironment(t *testing.T) {
	z := sharedZoo(t)
	args := []string{"run", "-n", z.path, "--", "true"}
	start(t, append([]string{"HOLDFAST_ZK=" + z.Addr()}, args...)...).ends(0)
	// A flag stands above the environment, which may be set for other commands.
	start(t, append([]string{"HOLDFAST_REDIS=127.0.0.1:1"}, z.at("run", "--", "true")...)...).ends(0)
	r := start(t, append([]string{"HOLDFAST_ZK=" + z.Addr(), "HOLDFAST_REDIS=127.0.0.1:1"}, args...)...)
	r.ends(125)
	require.Contains(t, r.err.String(), "both set")
}

func TestZKUsageErrorsHaveTheirOwnCode(t *testing.T) {
	z := sharedZoo(t)
	run := func(args ...string) []string { return z.at("run", append(args, "--", "true")...) }
	for name, args := range map[string][]string{
		"two stores":                {"run", "--zk", z.Addr(), "--redis", "127.0.0.1:1", "-n", "/x", "--", "true"},
		"a path without its slash":  {"run", "--zk", z.Addr(), "-n", "x", "--", "true"},
		"a chroot":                  {"run", "--zk", z.Addr() + "/app", "-n", "/x", "--", "true"},
		"no port":                   {"run", "--zk", "127.0.0.1:", "-n", "/x", "--", "true"},
		"a layout of Redis's":       run("--layout", "fenced"),
		"a layout of ZooKeeper's":   under(t, stores.Shared(t), "--layout", "curator", "--", "true"),
		"a watchdog":                run("--watchdog-lease", "5s"),
		"a session on Redis":        under(t, stores.Shared(t), "--session-timeout", "5s", "--", "true"),
		"a session too short":       run("--session-timeout", "10ms"),
		"an identity on Redis":      under(t, stores.Shared(t), "--zk-auth", "digest:a:b", "--", "true"),
		"a database":                run("--db", "3"),
		"a cluster":                 run("--cluster"),
		"an identity without data":  run("--zk-auth", "digest"),
		"an access list of nothing": run("--zk-acl", "world:anyone:"),
		"unknown rights":            run("--zk-acl", "world:anyone:rx"),
		"a namespace that is none":  run("--namespace", "a//b"),
		"nobody to ask on Redis":    under(t, stores.Shared(t), "--revocable", "--", "true"),
		"nobody to ask on one node": run("--layout", "single-node", "--revocable"),
		"a key without TLS":         run("--tls-key", "x"),
		"a certificate not there":   run("--tls", "--tls-cert", filepath.Join(t.TempDir(), "x")),
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, args...)
			r.ends(125)
			require.Regexp(t, `^holdfast: .*\n$`, r.err.String(), "one line")
		})
	}
}

func TestZKAKilledRunIsFollowedWhenItsSessionEnds(t *testing.T) {
	z := sharedZoo(t)
	r := z.run("--session-timeout", "1s", "--", "sh", "-c", "echo child=$$; exec sleep 1000")
	r.says("child=")
	next := z.run("--", "echo", "ran")
	z.standing(2)
	r.signal(syscall.SIGKILL)
	r.ends(-1)
	gone(t, fieldOf(t, r.out.String(), "child"))
	next.ends(0)
	require.Equal(t, "ran\n", next.out.String())
}
