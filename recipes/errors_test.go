package recipes_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var sentinels = []error{
	recipes.ErrNotAcquired, recipes.ErrNotHeld, recipes.ErrLost, recipes.ErrUnknown, recipes.ErrUnavailable,
	recipes.ErrConflict, recipes.ErrWouldDeadlock, recipes.ErrInvalid, recipes.ErrClosed,
}

// matches are the sentinels that err is.
func matches(err error) (out []error) {
	for _, s := range sentinels {
		if errors.Is(err, s) {
			out = append(out, s)
		}
	}
	return out
}

func TestSentinelsMatchThemselvesAlone(t *testing.T) {
	for _, s := range sentinels {
		require.Equal(t, []error{s}, matches(s))
		require.NotEmpty(t, s.Error())
	}
}

func TestLostIsNotHeldAndSaysWhy(t *testing.T) {
	for reason, text := range map[recipes.Reason]string{
		recipes.ReasonExpired:        "its lease expired",
		recipes.ReasonTaken:          "the store says it is not ours",
		recipes.ReasonLeaseOver:      "its lease is over",
		recipes.ReasonSessionExpired: "the session expired",
		recipes.ReasonDisconnected:   "the store could not be reached",
		recipes.ReasonClosed:         "the client was closed",
		recipes.Reason(99):           "Reason(99)",
		recipes.Reason(0):            "Reason(0)",
	} {
		err := &recipes.LostError{Name: `a "b"`, Reason: reason, Since: time.Now()}
		require.Equal(t, `hold of "a \"b\"": lost: `+text, err.Error())
		require.Equal(t, []error{recipes.ErrNotHeld, recipes.ErrLost}, matches(err))
		require.Equal(t, text, reason.String())
		require.Equal(t, []error{recipes.ErrNotHeld, recipes.ErrLost}, matches(fmt.Errorf("wrapped: %w", err)))
	}
}

func TestUnknownKeepsTheCauseAndTheTime(t *testing.T) {
	until := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	err := &recipes.UnknownError{Op: "release", Name: "orders", Until: until, Err: context.DeadlineExceeded}
	require.Equal(t, []error{recipes.ErrUnknown}, matches(err))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, `release "orders": outcome unknown, held at most until 2026-01-02T03:04:05.006Z: context deadline exceeded`, err.Error())
}
