package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALineOfMonitorIsReadBackToWhatWasSent(t *testing.T) {
	words, err := monitored(`+1339518083.107412 [0 127.0.0.1:60866] "evalsha" "ab12" "1" "q\"\\\x00" "" "7"`)
	require.NoError(t, err)
	require.Equal(t, []string{"evalsha", "ab12", "1", "q\"\\\x00", "", "7"}, words)

	r, err := parseRequest(words)
	require.NoError(t, err)
	require.Equal(t, request{sha: "ab12", keys: []string{"q\"\\\x00"}, args: []any{"", "7"}}, r)
}

func TestWhatAScriptCallsIsNoRequest(t *testing.T) {
	words, err := monitored(`+1339518083.107412 [0 lua] "evalsha" "ab12" "0"`)
	require.NoError(t, err)
	require.Empty(t, words)
}

func TestTextThatIsNoRequestIsAnError(t *testing.T) {
	for _, line := range []string{"", "+OK", `+1.1 [0 127.0.0.1:1] "unended`} {
		_, err := monitored(line)
		require.Error(t, err, line)
	}
	for _, words := range [][]string{{"evalsha", "ab12", "x"}, {"evalsha", "ab12", "2", "a"}, {"evalsha", "ab12", "-1"}} {
		_, err := parseRequest(words)
		require.Error(t, err, words)
	}
}

func TestARequestIsRenamedEverywhereAndTheOriginalStays(t *testing.T) {
	r := request{sha: "ab12", keys: []string{"bench:1", "chan:{bench:1}"}, args: []any{"owner", "bench:1"}}
	require.Equal(t, request{sha: "ab12", keys: []string{"x", "chan:{x}"}, args: []any{"owner", "x"}}, r.renamed("bench:1", "x"))
	require.Equal(t, "bench:1", r.keys[0])
}

func TestStatsCountCallsByCommand(t *testing.T) {
	s, err := parseStats("# Commandstats\r\ncmdstat_evalsha:calls=3,usec=9\r\ncmdstat_config|get:calls=1,usec=2\r\ncmdstat_ssubscribe:calls=2,usec=1\r\n")
	require.NoError(t, err)
	require.Equal(t, stats{"evalsha": 3, "config|get": 1, "ssubscribe": 2}, s)
	require.EqualValues(t, 6, s.commands())
	require.EqualValues(t, 3, s.requests())
	require.EqualValues(t, 2, s.subscriptions())
}

func TestASeriesIsJudgedByItsMedian(t *testing.T) {
	require.InDelta(t, 2, series{9, 1, 2}.median(), 0)
	require.InDelta(t, 2.5, series{4, 1, 2, 3}.median(), 0)
	require.Equal(t, series{2, 3}, series{4, 9}.over(series{2, 3}))
}

func TestASlowRunIsNoFailureAndACountOverItsAimIs(t *testing.T) {
	var r report
	r.speed(speed{what: "slow", ratio: series{1.2}, least: 1.5, to: "redsync"})
	r.count(count{what: "fine", got: 8, most: 8})
	require.NoError(t, r.failure())
	r.count(count{what: "  too many", got: 9, most: 8})
	require.ErrorContains(t, r.failure(), "too many")

	var out strings.Builder
	r.print(&out)
	require.Contains(t, out.String(), ">= 1.5 x redsync  MISSED")
	require.Regexp(t, `fine .* met\n`, out.String())
	require.Regexp(t, `too many .* MISSED\n`, out.String())
}

func TestTwoHoldersAtOnceAreCounted(t *testing.T) {
	var g guard
	g.section()
	require.Zero(t, g.double.Load())
	g.inside.Add(1) // another holder
	g.section()
	require.EqualValues(t, 1, g.double.Load())
}

func TestEveryContenderTakesPartInEveryRound(t *testing.T) {
	var order []int
	require.NoError(t, interleave(2, 3, func(_, which int) error {
		order = append(order, which)
		return nil
	}))
	require.Equal(t, []int{0, 1, 2, 1, 2, 0}, order)
}

func TestAWholeRunMeetsItsCounts(t *testing.T) {
	for _, part := range []string{"pair", "hot", "names", "counts"} {
		var out strings.Builder
		require.NoError(t, run(t.Context(), config{rounds: 1, only: part, window: 40 * time.Millisecond}, &out), "%s", &out)
		require.Contains(t, out.String(), "holdfast")
	}
}

func TestAnUnknownPartIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), config{rounds: 1, only: "nothing", window: time.Second}, &strings.Builder{}), "nothing")
}
