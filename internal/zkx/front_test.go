package zkx

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	uuid = "5b76960a-6fd3-4581-9880-fff5953b3dc6"
	hex  = "5b76960a6fd345819880fff5953b3dc6"
)

var mutexOnly = &Recipe{Naming: Curator{}, Infix: "lock-", Infixes: []string{"lock-"}, Rule: Alone}

func ours(digits string) string { return protected(uuid, "lock-") + digits }

// Recorded with Curator 2.13 to 5.9: one foreign child, and whether Curator,
// whose own child has the digits 0000000001, acquired beside it.
func TestWhatCuratorWaitsForIsNeverPassed(t *testing.T) {
	raw, err := os.ReadFile("testdata/curator_names.json")
	require.NoError(t, err)
	var golden struct {
		Cases []struct {
			Foreign  string
			Acquired bool
		}
	}
	require.NoError(t, json.Unmarshal(raw, &golden))
	require.Greater(t, len(golden.Cases), 30)
	fill := strings.NewReplacer("{uuid}", uuid, "{UUID}", strings.ToUpper(uuid), "{hex32}", hex)
	for _, c := range golden.Cases {
		name := fill.Replace(c.Foreign)
		t.Run(name, func(t *testing.T) {
			own := protected("c0000000-0000-4000-8000-000000000000", "lock-") + "0000000001"
			f, err := mutexOnly.look([]string{own, name}, own)
			switch _, _, known := parse(name); {
			case !c.Acquired && err == nil:
				require.Equal(t, []node{{name: name, infix: "lock-", key: "0000000000"}}, f.ahead)
				require.True(t, known, "only a contender is waited for")
			case !c.Acquired:
				require.ErrorContains(t, err, name)
			case err != nil: // another kind of lock: Curator does not notice, we refuse
				require.True(t, known || name == SingleName)
				require.NotContains(t, name, "lock-")
			default:
				require.Empty(t, f.ahead)
			}
			require.True(t, f.own || err != nil)
		})
	}
}

func TestTheLineIsOrderedByDigitsAlone(t *testing.T) {
	a := "_c_ffffffff-ffff-4fff-8fff-ffffffffffff-lock-0000000002"
	b := "lock-0000000003"
	c := "_c_" + hex + "-lock-0000000004"
	own := ours("0000000005")
	behind := ours("0000000006")
	f, err := mutexOnly.look([]string{behind, c, own, a, b, "locks", "leases"}, own)
	require.NoError(t, err)
	require.True(t, f.own)
	require.Len(t, f.ahead, 3)
	require.Equal(t, c, Alone(f.ahead), "each waits for the one before it")
	require.Empty(t, Alone(nil))
}

func TestALineInWhichNoOrderIsSafeIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ own, other, says string }{
		"our own number is worn":        {ours("2147483647"), "", "used up"},
		"our own number is negative":    {ours("-2147483648"), "", "used up"},
		"another's is negative":         {ours("0000000007"), "lock--2147483648", "used up"},
		"another's is worn":             {ours("0000000007"), "lock-2147483647", "used up"},
		"another has our number":        {ours("0000000007"), "lock-0000000007", "our own place"},
		"a stranger sorts in front":     {ours("0000000007"), "0000000003", "no contender"},
		"a stranger without any digits": {ours("0000000007"), "lock-", "no contender"},
		"a writer":                      {ours("0000000007"), protected(uuid, "__WRIT__") + "0000000009", "another kind of lock"},
		"a reader":                      {ours("0000000007"), "__READ__0000000001", "another kind of lock"},
	} {
		t.Run(name, func(t *testing.T) {
			children := []string{c.own}
			if c.other != "" {
				children = append(children, c.other)
			}
			_, err := mutexOnly.look(children, c.own)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, c.other)
		})
	}
}

func TestOwnNodeMissingFromAListShows(t *testing.T) {
	f, err := mutexOnly.look([]string{"lock-0000000001"}, ours("0000000005"))
	require.NoError(t, err)
	require.False(t, f.own)
}

func TestNoNameOfAChildMakesItPanic(t *testing.T) {
	for _, name := range []string{"", "_c_", "_c_-lock-", "-", "lock-", "_c_" + uuid, "\xff\xfe", strings.Repeat("lock-", 500)} {
		require.NotPanics(t, func() {
			_, _ = mutexOnly.look([]string{name}, ours("0000000005"))
			_, _, _ = parse(name)
		})
	}
}

func FuzzAnyChildIsJudged(f *testing.F) {
	for _, seed := range []string{"lock-0000000000", "_c_" + uuid + "-lock-0000000003", "__WRIT__0000000001", "x", "", "lock--1"} {
		f.Add(seed)
	}
	own := ours("0000000005")
	f.Fuzz(func(t *testing.T, name string) {
		got, err := mutexOnly.look([]string{own, name}, own)
		// What Curator's order puts in front is waited for or refused.
		if err == nil && name != own && sortKey(name, "lock-") <= sortKey(own, "lock-") {
			require.Len(t, got.ahead, 1, "%q", name)
		}
	})
}

func TestPathsThatCannotBeALockAreRefused(t *testing.T) {
	for path, says := range map[string]string{
		"":                              "empty",
		"locks":                         "slash",
		"/":                             "root",
		"/a/":                           "empty segment",
		"/a//b":                         "empty segment",
		"/a/./b":                        "relative",
		"/a/..":                         "relative",
		"/zookeeper":                    "server's own",
		"/zookeeper/quota":              "server's own",
		"/a\x00b":                       "U+0000",
		"/a\nb":                         "U+000A",
		"/a\u0080":                      "U+0080",
		"/a\ue000":                      "U+E000",
		"/a\ufff0":                      "U+FFF0",
		"/a\xff":                        "U+FFFD",
		"/a\U0001F600":                  "U+1F600",
		"/" + strings.Repeat("a", 1200): "1201 bytes",
		"/a/lock-0000000000":            "contender",
		"/a/" + ours("0000000001"):      "contender",
		"/a/_c_x":                       "contender",
	} {
		require.Contains(t, badPath(path, path), says, "%q", path)
	}
	for _, path := range []string{"/a", "/locks/orders/42", "/zookeeperish", "/a b", "/ü", "/lock-", "/a/lock-7"} {
		require.Empty(t, badPath(path, path), "%q", path)
	}
	require.Contains(t, badPath("/a", "/"+strings.Repeat("n", 1023)+"/a"), "bytes")
}

var writers = &Recipe{Naming: Curator{}, Infix: "__WRIT__", Infixes: []string{"__READ__", "__WRIT__"}, Reads: "__READ__"}

func names(infix, digits string) string { return protected(uuid, infix) + digits }

// The golden order of Curator: R0 R1 W2 R3 W4 R5. A reader waits for the last
// writer in front where Curator's waits for the first; a writer for the one
// before it.
func TestReadersWaitForWritersAndWritersForAnybody(t *testing.T) {
	line := []string{
		names("__READ__", "0000000000"), names("__READ__", "0000000001"), names("__WRIT__", "0000000002"),
		names("__READ__", "0000000003"), names("__WRIT__", "0000000004"), names("__READ__", "0000000005"),
	}
	rule := map[string]Rule{"__READ__": BehindWriters("__WRIT__"), "__WRIT__": Alone}
	for i, want := range []string{"", "", line[1], line[2], line[3], line[4]} {
		infix, _, _ := parse(line[i])
		f, err := writers.look(line, line[i])
		require.NoError(t, err)
		require.Equal(t, want, rule[infix](f.ahead), line[i])
	}
}

func TestHoldersAreTheWriterWithItsReadSideOrTheReadersInFront(t *testing.T) {
	at := func(infix, digits string) standing { return standing{node: node{infix: infix, key: digits}} }
	w, r := "__WRIT__", "__READ__"
	for _, c := range []struct {
		line []standing
		want int
	}{
		{nil, 0},
		{[]standing{at(w, "1"), at(r, "2")}, 1},
		{[]standing{at(w, "1"), at(r, "1"), at(r, "2"), at(w, "3")}, 2},
		{[]standing{at(r, "1"), at(r, "2"), at(w, "3"), at(r, "4")}, 2},
		{[]standing{at(r, "1")}, 1},
	} {
		require.Equal(t, c.want, writers.holders(c.line))
	}
	require.Equal(t, 1, mutexOnly.holders([]standing{at("lock-", "1"), at("lock-", "2")}))
}

func TestNamesOfHostsAreParsedFromTheRight(t *testing.T) {
	h := Hosts{Host: "web-R-1"}
	require.Equal(t, "web-R-1-W-", h.Name(uuid, "-W-"))
	infix, key, ok := h.Parse("web-R-1-W-0000000007")
	require.True(t, ok)
	require.Equal(t, "-W-", infix)
	require.Equal(t, "0000000007", key)
	require.True(t, h.Mine("web-R-1-W-0000000007", "-W-", uuid))
	require.False(t, h.Mine("web-R-1-W-0000000007", "-R-", uuid))
	require.False(t, h.Mine("other-W-0000000007", "-W-", uuid))
	_, _, ok = h.Parse(names("lock-", "0000000001"))
	require.False(t, ok)
}
