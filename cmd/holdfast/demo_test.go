package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

var redisTitles = []string{"mutex", "mutex, fenced", "mutex, plain"}

// soldRight requires the demo's table: too much sold without a lock, and the
// stock, exactly, under each.
func soldRight(t *testing.T, r *running, titles ...string) {
	t.Helper()
	r.ends(0)
	out := r.out.String()
	require.Regexp(t, `(?m)^no lock +200 +\d+ +100 +- +- +- +-$`, out)
	for _, title := range titles {
		require.Regexp(t, `(?m)^`+title+` +100 +0 +0 +\d+ +[\d.]+ ms +[\d.]+ ms +0$`, out)
	}
	require.Regexp(t, `\nYou just saw 100 items sold 200 times without a lock, and exactly 100 times under each lock\.\n$`, out)
	require.NotContains(t, out, "FAILED")
	require.NotContains(t, out, "\x1b", "nothing is written over in a file or a pipe")
	require.NotContains(t, out, "\r")
	require.Empty(t, r.err.String())
}

func TestTheDemoNeedsNothing(t *testing.T) {
	r := start(t, "HOLDFAST_REDIS=127.0.0.1:1", "demo")
	soldRight(t, r, redisTitles...)
	require.Contains(t, r.out.String(), "Store: miniredis, a Redis inside this process")
}

func TestTheDemoOnAServerCleansUp(t *testing.T) {
	s := stores.Single(t)
	r := start(t, "demo", "--redis", s.Addr(), "--namespace", "mine:")
	soldRight(t, r, redisTitles...)
	require.Contains(t, r.out.String(), "Store: Redis at "+s.Addr())
	emptyBut(t, s)
}

func TestTheDemoBehindSentinels(t *testing.T) {
	d := stores.Sentinel(t)
	soldRight(t, start(t, "demo", "--redis", strings.Join(d.SentinelAddrs(), ","), "--sentinel-master", stores.MasterName), redisTitles...)
	primary, err := d.Primary(t.Context())
	require.NoError(t, err)
	emptyBut(t, primary)
}

func TestTheDemoOnACluster(t *testing.T) {
	d := stores.Cluster(t)
	soldRight(t, start(t, "demo", "--redis", strings.Join(d.Addrs(), ","), "--cluster"), redisTitles...)
	for _, s := range d.Primaries() {
		emptyBut(t, s)
	}
}

// emptyBut the marks of undone owners, which go by themselves.
func emptyBut(t *testing.T, s *stores.Server) {
	t.Helper()
	keys, err := s.Client(t).Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	for _, k := range keys {
		require.True(t, strings.HasSuffix(k, ":undone"), "%s was left", k)
	}
}

func TestTheDemoTakesNoHalfAConnection(t *testing.T) {
	r := start(t, "demo", "--tls")
	r.ends(125)
	require.Contains(t, r.err.String(), "--redis")
}
