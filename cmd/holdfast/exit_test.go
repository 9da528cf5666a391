package main

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

func TestEveryErrorHasItsExitCode(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		err  error
		code int
		told bool
	}{
		{nil, 0, false},
		{&exit{code: 57}, 57, false},
		{fmt.Errorf("run: %w", &exit{exitUsage, boom}), exitUsage, true},
		{signalled(syscall.SIGTERM), 143, false},
		{fmt.Errorf("lock: %w", recipes.ErrInvalid), exitUsage, true},
		{fmt.Errorf("lock: %w", recipes.ErrNotAcquired), exitNotAcquired, true},
		{&recipes.LostError{Name: "x", Reason: recipes.ReasonTaken}, exitLost, true},
		{fmt.Errorf("lock: %w", recipes.ErrUnavailable), exitStore, true},
		{fmt.Errorf("lock: %w", recipes.ErrConflict), exitStore, true},
		{boom, exitStore, true},
	} {
		code, told := exitCode(c.err)
		require.Equal(t, c.code, code, "%v", c.err)
		require.Equal(t, c.told, told != nil, "%v", c.err)
	}
}
