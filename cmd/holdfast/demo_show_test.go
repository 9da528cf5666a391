package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// broken grants to everybody at once.
var broken = kind{title: "broken", redis: func(_ *rediscore.Client, name string) recipes.Locker {
	return recipes.NewLocal(name) // of its own: nobody else is in it
}}

// watched runs the demo with those kinds on a place of its own.
func watched(t *testing.T, ctx context.Context, kinds ...kind) (*place, string, error) {
	t.Helper()
	p, err := (&demoCmd{}).place()
	require.NoError(t, err)
	t.Cleanup(p.close)
	var out bytes.Buffer
	err = show(ctx, &output{out: &out, err: &out}, p, kinds)
	return p, out.String(), err
}

func TestABrokenLockFailsTheDemo(t *testing.T) {
	_, out, err := watched(t, t.Context(), kindsOn(onRedis)[0], broken)
	code, say := exitCode(err)
	require.Equal(t, exitFailed, code, "%v", err)
	require.NoError(t, say, "the table has said it")
	require.Regexp(t, `(?m)^broken +200 .*  FAILED$`, out)
	require.Regexp(t, `\nFAILED: under "broken" 200 items were sold, and there were 100\.\n$`, out)
	require.NotContains(t, out, "You just saw", "there is no happy end")
}

func TestADemoThatIsCutShortCleansUp(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cut := broken
	cut.stays = func(name string) []string { return []string{name + "-counter"} }
	cut.redis = func(c *rediscore.Client, name string) recipes.Locker {
		cancel(&exit{code: 130})
		return broken.redis(c, name)
	}
	p, _, err := watched(t, ctx, cut)
	code, _ := exitCode(interrupted(ctx, err))
	require.Equal(t, 130, code)
	require.Empty(t, p.inside.Keys())
}

func TestTheSaleOfALostHoldIsCounted(t *testing.T) {
	short := broken
	short.redis = func(_ *rediscore.Client, name string) recipes.Locker { return leased{recipes.NewLocal(name)} }
	p, err := (&demoCmd{}).place()
	require.NoError(t, err)
	t.Cleanup(p.close)
	quiet := func(func() int64) func() { return func() {} }
	got, err := p.sell(t.Context(), &short, 10*time.Second, quiet)
	require.NoError(t, err)
	require.Equal(t, buyers*wanted, got.losses)
	require.Zero(t, got.sold)
}

// leased gives holds that are over before their buyer has thought.
type leased struct{ *recipes.Local }

func (l leased) Lock(ctx context.Context, opts ...recipes.LockOption) (*recipes.Hold, error) {
	return l.Local.Lock(ctx, append(opts, recipes.WithLease(100*time.Millisecond))...)
}
