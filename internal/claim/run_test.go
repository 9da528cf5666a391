package claim_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

// script is a claim whose steps are written down; the last one stays.
type script struct {
	steps []step
	asked []time.Duration
	began time.Time
	left  int
}

// step is what one Ask comes to, after a while.
type step struct {
	takes time.Duration
	level *grant.Level
	busy  claim.Busy
	err   error
}

func (s *script) Ask(ctx context.Context) (*grant.Level, claim.Busy, error) {
	s.asked = append(s.asked, time.Since(s.began))
	st := s.steps[0]
	if len(s.steps) > 1 {
		s.steps = s.steps[1:]
	}
	select {
	case <-time.After(st.takes):
		return st.level, st.busy, st.err
	case <-ctx.Done():
		return nil, claim.Busy{}, &claim.Trouble{Err: context.Cause(ctx)}
	}
}

func (s *script) Leave() { s.left++ }

var (
	errReset = errors.New("connection reset")
	reset    = step{err: &claim.Trouble{Err: errReset}}
	held     = step{busy: claim.Busy{After: time.Second}}
	silent   = step{takes: time.Hour}
)

// run runs a script in virtual time, on a store whose silence is given.
func run(t *testing.T, ctx context.Context, o grant.Options, try bool, silence func() time.Duration, steps ...step) (s *script, took time.Duration, err error) {
	t.Helper()
	s = &script{steps: steps, began: time.Now()}
	level, err := claim.Run(ctx, claim.Env{
		Verb: "lock", Name: "orders", Closing: make(chan struct{}),
		Silence: silence, Patience: 30 * time.Second, TryFor: 10 * time.Second,
	}, s, o, try)
	require.Nil(t, level)
	require.Error(t, err)
	require.ErrorContains(t, err, `"orders"`)
	require.Equal(t, 1, s.left, "it leaves, once")
	return s, time.Since(s.began), err
}

func answers() time.Duration { return 0 }

// deaf is a store that has answered nothing since now.
func deaf() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

func TestHowAWaitEnds(t *testing.T) {
	enough := errors.New("enough")
	final := step{err: &grant.Fault{Kind: recipes.ErrConflict, Detail: "a string"}}
	for _, c := range []struct {
		name    string
		end     time.Duration // of the caller's context
		o       grant.Options
		try     bool
		deaf    bool
		steps   []step
		is, not []error
		says    string
		took    time.Duration // 0: no matter
		asks    int
	}{
		{name: "the wait is over", o: grant.Options{HasWait: true, Wait: 4500 * time.Millisecond}, steps: []step{held}, is: []error{recipes.ErrNotAcquired}, not: []error{context.DeadlineExceeded}, says: "held by another owner, wait is over", took: 4500 * time.Millisecond, asks: 5},
		{name: "a wait of nothing", o: grant.Options{HasWait: true}, steps: []step{held}, is: []error{recipes.ErrNotAcquired}, says: "held by another owner", asks: 1},
		{name: "a try", try: true, steps: []step{held}, is: []error{recipes.ErrNotAcquired}, says: "held by another owner", asks: 1},
		{name: "the context ends", end: 4500 * time.Millisecond, steps: []step{held}, is: []error{recipes.ErrNotAcquired, context.DeadlineExceeded, enough}, took: 4500 * time.Millisecond, asks: 5},
		{name: "the context ends in an outage", end: 5 * time.Second, deaf: true, steps: []step{reset}, is: []error{recipes.ErrNotAcquired, context.DeadlineExceeded, enough, errReset}, took: 5 * time.Second},
		{name: "the context ends before the wait", end: time.Second, o: grant.Options{HasWait: true, Wait: time.Minute}, steps: []step{held}, is: []error{recipes.ErrNotAcquired, enough}, took: time.Second},
		{name: "what cannot get better ends at once", steps: []step{final}, is: []error{recipes.ErrConflict}, says: "a string", asks: 1},
		{name: "a try is repeated over passing trouble", try: true, steps: []step{reset}, is: []error{recipes.ErrUnavailable, errReset}, asks: 3},
		{name: "a try gives a silent store its time", try: true, deaf: true, steps: []step{silent}, is: []error{recipes.ErrUnavailable}, took: 10 * time.Second, asks: 1},
		{name: "an outage is waited through, not for ever", deaf: true, steps: []step{reset}, is: []error{recipes.ErrUnavailable, errReset}, not: []error{recipes.ErrNotAcquired}, says: "no answer for 30s", took: 30 * time.Second},
		{name: "a wait is over before the store has answered", deaf: true, o: grant.Options{HasWait: true, Wait: 5 * time.Second}, steps: []step{reset}, is: []error{recipes.ErrUnavailable, errReset}, says: "wait is over", took: 5 * time.Second},
		{name: "a wait is over after the store has answered", deaf: true, o: grant.Options{HasWait: true, Wait: 5 * time.Second}, steps: []step{held, reset}, is: []error{recipes.ErrNotAcquired, errReset}, took: 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, silence := t.Context(), answers
				if c.end > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeoutCause(ctx, c.end, enough)
					defer cancel()
				}
				if c.deaf {
					silence = deaf()
				}
				s, took, err := run(t, ctx, c.o, c.try, silence, c.steps...)
				for _, target := range c.is {
					require.ErrorIs(t, err, target)
				}
				for _, target := range c.not {
					require.NotErrorIs(t, err, target)
				}
				require.ErrorContains(t, err, c.says)
				if c.took > 0 {
					require.Equal(t, c.took, took)
				}
				if c.asks > 0 {
					require.Len(t, s.asked, c.asks)
				}
			})
		})
	}
}

func TestASignalAsksAgainBeforeTheTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		time.AfterFunc(100*time.Millisecond, func() { wake <- struct{}{} })
		busy := step{busy: claim.Busy{Wake: wake, After: time.Second}}
		s, _, err := run(t, t.Context(), grant.Options{HasWait: true, Wait: 500 * time.Millisecond}, false, answers, busy)
		require.ErrorIs(t, err, recipes.ErrNotAcquired)
		require.Equal(t, []time.Duration{0, 100 * time.Millisecond}, s.asked)
	})
}

func TestPausesInAnOutageGrowAndStayShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, err := run(t, t.Context(), grant.Options{}, false, deaf(), reset)
		require.ErrorIs(t, err, recipes.ErrUnavailable)
		for i := 1; i < len(s.asked); i++ {
			pause := s.asked[i] - s.asked[i-1]
			require.LessOrEqual(t, pause, 375*time.Millisecond)
			if i > 6 && i < len(s.asked)-1 { // the last is cut by the end
				require.GreaterOrEqual(t, pause, 125*time.Millisecond, "no hammering")
			}
		}
		require.Less(t, s.asked[1], 20*time.Millisecond, "the first is short")
	})
}

func TestClosingEndsEveryWait(t *testing.T) {
	for _, st := range []step{held, reset, {busy: claim.Busy{}}} {
		synctest.Test(t, func(t *testing.T) {
			closing := make(chan struct{})
			time.AfterFunc(10*time.Second, func() { close(closing) })
			s := &script{steps: []step{st}, began: time.Now()}
			_, err := claim.Run(t.Context(), claim.Env{Verb: "lock", Name: "orders", Closing: closing}, s, grant.Options{}, false)
			require.ErrorIs(t, err, recipes.ErrClosed)
			require.Equal(t, 10*time.Second, time.Since(s.began))
			require.Equal(t, 1, s.left)
		})
	}
}

func TestEventsOfAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []grant.Event
		s := &script{steps: []step{held}, began: time.Now()}
		_, err := claim.Run(t.Context(), claim.Env{
			Verb: "lock", Name: "orders", Emit: func(e grant.Event) { events = append(events, e) },
		}, s, grant.Options{HasWait: true, Wait: 5 * time.Second}, false)
		require.Len(t, events, 2, "waiting is said once")
		require.Equal(t, grant.EventWaiting, events[0].Kind)
		require.Equal(t, grant.EventGaveUp, events[1].Kind)
		require.Equal(t, 5*time.Second, events[1].Wait)
		require.Equal(t, err, events[1].Err)
		require.Equal(t, "orders", events[0].Name)
	})
}
