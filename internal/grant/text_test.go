package grant_test

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
)

func TestQuotedNamesAreShortAndHarmless(t *testing.T) {
	long := strings.Repeat("n", 128)
	for name, want := range map[string]string{
		"orders":               `"orders"`,
		"":                     `""`,
		`a"b`:                  `"a\"b"`,
		"a\nb\x1b[31m":         `"a\nb\x1b[31m"`,
		"ключ":                 `"ключ"`,
		"\xff\xfe":             `"\xff\xfe"`,
		"\u202eevil":           `"\u202eevil"`,
		long:                   `"` + long + `"`,
		long + "m":             `"` + long + `"…`,
		long[:127] + "ü" + "x": `"` + long[:127] + `\xc3"…`, // cut inside of a letter
	} {
		require.Equal(t, want, grant.Quote(name))
	}
}

func TestOwnersAreVersion4UUIDsAndNumbers(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for range 10_000 {
		id := grant.NewUUID()
		require.Regexp(t, form, id)
		require.False(t, seen[id])
		seen[id] = true
	}
	require.Equal(t, "c:1", grant.OwnerText("c", 1))
	require.Equal(t, "c:9223372036854775807", grant.OwnerText("c", math.MaxInt64))
}

func TestFaultReadsAsOneSentenceAndMatchesAllItsCauses(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	for want, f := range map[string]*grant.Fault{
		`lock "a": not acquired`:                 {Verb: "lock", Name: "a", Kind: grant.ErrNotAcquired},
		`lock "a": not acquired: held`:           {Verb: "lock", Name: "a", Kind: grant.ErrNotAcquired, Detail: "held"},
		`lock "a": not acquired: held: one: two`: {Verb: "lock", Name: "a", Kind: grant.ErrNotAcquired, Detail: "held", Causes: []error{one, two}},
		`lock "a": not acquired: one`:            {Verb: "lock", Name: "a", Kind: grant.ErrNotAcquired, Causes: []error{one, errors.New("one")}},
	} {
		require.Equal(t, want, f.Error())
		require.ErrorIs(t, f, grant.ErrNotAcquired)
		for _, cause := range f.Causes {
			require.ErrorIs(t, f, cause)
		}
		require.NotErrorIs(t, f, grant.ErrNotHeld)
	}
}

func TestLeasesHaveALeastAndAMost(t *testing.T) {
	for d, bad := range map[time.Duration]string{
		math.MinInt64:              "shorter",
		-1:                         "shorter",
		0:                          "shorter",
		grant.MinLease - 1:         "shorter",
		grant.MinLease:             "",
		time.Hour:                  "",
		grant.MaxLease:             "",
		grant.MaxLease + 1:         "longer",
		math.MaxInt64:              "longer",
		math.MaxInt64 / 1000 * 999: "longer",
	} {
		if bad == "" {
			require.Empty(t, grant.BadLease(d), "%v", d)
		} else {
			require.Contains(t, grant.BadLease(d), bad, "%v", d)
		}
	}
}

func TestOptionsThatContradictAreRefused(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		o        grant.Options
		try      bool
		contains string
	}{
		{grant.Options{}, false, ""},
		{grant.Options{}, true, ""},
		{grant.Options{HasWait: true, Wait: second}, false, ""},
		{grant.Options{HasWait: true, Wait: second}, true, "does not wait"},
		{grant.Options{HasWait: true}, true, ""},
		{grant.Options{HasWait: true, Wait: -second}, true, ""},
		{grant.Options{Leased: true, Lease: second}, true, ""},
		{grant.Options{Bounded: true, MaxHold: second}, false, ""},
		{grant.Options{Leased: true, Lease: second, Bounded: true, MaxHold: second}, false, "exclude"},
	} {
		if c.contains == "" {
			require.Empty(t, c.o.Check(c.try), "%+v", c)
		} else {
			require.Contains(t, c.o.Check(c.try), c.contains, "%+v", c)
		}
	}
	var o grant.Options
	o.Reject("first %d", 1)
	o.Reject("second")
	require.Equal(t, "first 1", o.Check(false), "the first thing wrong is what is said")
}

func TestSignalNeverBlocks(t *testing.T) {
	wake := make(chan struct{}, 1)
	for range 3 {
		grant.Signal(wake)
	}
	require.Len(t, wake, 1)
	grant.Signal(make(chan struct{})) // nobody listens
}
