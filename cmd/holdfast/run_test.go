package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

// under is "run" on that server and the test's lock.
func under(t *testing.T, s *stores.Server, args ...string) []string {
	return append([]string{"run", "--redis", s.Addr(), "--name", lockName(t)}, args...)
}

func TestTheExitCodeIsThatOfTheCommand(t *testing.T) {
	s := stores.Shared(t)
	for _, c := range []struct {
		name    string
		command []string
		code    int
	}{
		{"success", []string{"true"}, 0},
		{"failure", []string{"false"}, 1},
		{"its own code", []string{"sh", "-c", "exit 57"}, 57},
		{"terminated", []string{"sh", "-c", "kill -TERM $$"}, 128 + 15},
		{"killed", []string{"sh", "-c", "kill -KILL $$"}, 128 + 9},
		{"flags are the command's", []string{"sh", "-c", `test "$1" = --name`, "sh", "--name"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			start(t, append(under(t, s, "--"), c.command...)...).ends(c.code)
			require.Empty(t, keysOf(t, s, lockName(t)))
		})
	}
}

func TestACommandThatCannotRunIsNotALock(t *testing.T) {
	s := stores.Shared(t)
	noProgram := filepath.Join(t.TempDir(), "no-program")
	require.NoError(t, os.WriteFile(noProgram, []byte("\x7fELF, but not really"), 0o700))
	for _, c := range []struct {
		name, command string
		code          int
	}{
		{"not there", "holdfast-has-no-such-command", 127},
		{"no such path", "/nonexistent/command", 127},
		{"not executable", "/etc/passwd", 126},
		{"a folder", t.TempDir(), 126},
		{"not a program", noProgram, 126},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, under(t, s, "--", c.command)...)
			r.ends(c.code)
			require.NotEmpty(t, r.err.String())
			require.Empty(t, keysOf(t, s, lockName(t)))
		})
	}
}

func TestTheCommandFindsTheLockInItsEnvironment(t *testing.T) {
	s := stores.Shared(t)
	r := start(t, append([]string{"HOLDFAST_FENCE=17", "HOLDFAST_NAME=outer"},
		under(t, s, "--", "sh", "-c", `echo name=$HOLDFAST_NAME fence=[$HOLDFAST_FENCE] owner=$HOLDFAST_OWNER; cat`)...)...)
	r.ends(0)
	out := r.out.String()
	require.Equal(t, lockName(t), fieldOf(t, out, "name"))
	require.Equal(t, "[]", fieldOf(t, out, "fence"), "the token of an outer lock is not this lock's")
	require.Regexp(t, `^[0-9a-f-]{36}:\d+$`, fieldOf(t, out, "owner"))
}

func TestTheOwnerIsTheOneInTheStore(t *testing.T) {
	s := stores.Shared(t)
	stdin, keep, err := os.Pipe()
	require.NoError(t, err)
	defer stdin.Close()
	cmd := exec.Command(program, under(t, s, "--", "sh", "-c", `echo owner=$HOLDFAST_OWNER; read line`)...)
	cmd.Stdin = stdin
	r := launch(t, cmd)
	r.says("\n")
	stored, err := s.Client(t).HGetAll(t.Context(), lockName(t)).Result()
	require.NoError(t, err)
	require.Equal(t, map[string]string{fieldOf(t, r.out.String(), "owner"): "1"}, stored)
	require.NoError(t, keep.Close())
	r.ends(1)
	nothingLeft(t, s, lockName(t))
}

func TestTheFencingTokenGrows(t *testing.T) {
	s := stores.Shared(t)
	last := 0
	for _, flags := range [][]string{
		{"--fence-env", "MY_TOKEN"},
		{"--fence-env", "MY_TOKEN", "--layout", "fenced"},
		{"--layout", "fenced"},
	} {
		r := start(t, under(t, s, append(flags, "--", "sh", "-c", "echo token=$MY_TOKEN$HOLDFAST_FENCE")...)...)
		r.ends(0)
		token, err := strconv.Atoi(fieldOf(t, r.out.String(), "token"))
		require.NoError(t, err)
		require.Greater(t, token, last)
		last = token
	}
	require.Empty(t, keysOf(t, s, lockName(t)))
}

func TestEveryLayoutIsStoredAsItSays(t *testing.T) {
	s := stores.Shared(t)
	for layout, kind := range map[string]string{"redisson": "hash", "fenced": "hash", "plain": "string"} {
		t.Run(layout, func(t *testing.T) {
			r := start(t, under(t, s, "--layout", layout, "--", "sh", "-c", "echo ready; exec sleep 1000")...)
			r.says("ready")
			got, err := s.Client(t).Type(t.Context(), lockName(t)).Result()
			require.NoError(t, err)
			require.Equal(t, kind, got)
			r.signal(syscall.SIGTERM)
			r.ends(128 + 15)
			require.Empty(t, keysOf(t, s, lockName(t)))
		})
	}
}

func TestUsageErrorsHaveTheirOwnCode(t *testing.T) {
	s := stores.Shared(t)
	for name, args := range map[string][]string{
		"no name":              {"run", "--", "true"},
		"no command":           under(t, s),
		"nothing behind --":    under(t, s, "--"),
		"unknown flag":         under(t, s, "--bogus", "--", "true"),
		"unknown layout":       under(t, s, "--layout", "bogus", "--", "true"),
		"unknown recipe":       under(t, s, "--recipe", "bogus", "--", "true"),
		"a fence without one":  under(t, s, "--layout", "plain", "--fence-env", "F", "--", "true"),
		"no variable":          under(t, s, "--fence-env", "A=B", "--", "true"),
		"a lease too short":    under(t, s, "--lease", "10ms", "--", "true"),
		"a watchdog too short": under(t, s, "--watchdog-lease", "10ms", "--", "true"),
		"a negative grace":     under(t, s, "--grace=-1s", "--", "true"),
		"two deployments":      under(t, s, "--cluster", "--sentinel-master", "x", "--", "true"),
		"several servers":      {"run", "--redis", "127.0.0.1:1,127.0.0.1:2", "-n", "x", "--", "true"},
		"no address":           {"run", "--redis", "127.0.0.1:", "-n", "x", "--", "true"},
		"unknown command":      {"bogus"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, args...)
			r.ends(125)
			require.Regexp(t, `^holdfast: .*\n$`, r.err.String(), "one line")
		})
	}
}
