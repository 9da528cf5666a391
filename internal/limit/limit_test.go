package limit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/limit"
)

func TestEndsAtItsTimeOrWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := limit.New(t.Context(), time.Second)
		require.NoError(t, c.Err())
		start := time.Now()
		<-c.Done()
		require.Equal(t, time.Second, time.Since(start))
		require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
		require.ErrorIs(t, context.Cause(c), context.DeadlineExceeded)

		why := errors.New("why")
		parent, cancel := context.WithCancelCause(t.Context())
		c = limit.New(parent, time.Second)
		cancel(why)
		<-c.Done()
		require.ErrorIs(t, c.Err(), context.Canceled)
		require.ErrorIs(t, context.Cause(c), why)
	})
}

func TestTimeCountsWithoutATimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := limit.New(t.Context(), time.Second)
		time.Sleep(2 * time.Second)
		require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
		require.ErrorIs(t, context.Cause(c), context.DeadlineExceeded)
	})
}

func TestTheSoonerEndCounts(t *testing.T) {
	outer := limit.New(t.Context(), time.Minute)
	inner := limit.New(outer, time.Hour)
	want, _ := outer.Deadline()
	got, ok := inner.Deadline()
	require.True(t, ok)
	require.Equal(t, want, got)
	short, ok := limit.New(outer, time.Second).Deadline()
	require.True(t, ok)
	require.True(t, short.Before(want))
}

func TestSplitLeavesTheDeadlineToTheCall(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := limit.New(parent, time.Minute)
	defer c.Stop()
	call, watched := limit.Split(c)
	end, ok := call.Deadline()
	require.True(t, ok)
	want, _ := c.Deadline()
	require.Equal(t, want, end)
	require.Equal(t, parent, watched)
	require.Equal(t, parent.Done(), call.Done())
	same, also := limit.Split(parent)
	require.Equal(t, parent, same)
	require.Equal(t, parent, also)
}
