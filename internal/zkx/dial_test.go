package zkx

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestASessionIsBelievedInForLessThanItsTimeout(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		rate    float64
		want    time.Duration
	}{
		{10 * time.Second, 0.01, 8900 * time.Millisecond},
		{10 * time.Second, 0, 9 * time.Second},
		{4 * time.Second, 0.01, 3560 * time.Millisecond},
		{time.Second, 0.01, 890 * time.Millisecond},
		{500 * time.Millisecond, 0.01, 395 * time.Millisecond}, // the least margin
		{500 * time.Millisecond, 0.5, 150 * time.Millisecond},
		{2147483 * time.Second, 0.01, 2147483*time.Second*99/100 - 2147483*time.Second/10},
	} {
		got := sessionValidity(c.timeout, c.rate)
		require.InDelta(t, float64(c.want), float64(got), float64(time.Millisecond), "%v at %v", c.timeout, c.rate)
	}
}

func TestMarginIsATenthAndNeverTooSmall(t *testing.T) {
	require.Equal(t, 100*time.Millisecond, margin(500*time.Millisecond))
	require.Equal(t, time.Second, margin(10*time.Second))
}
