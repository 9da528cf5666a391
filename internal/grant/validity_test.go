package grant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
)

const ms = time.Millisecond

func TestMarginIsTheLargestOfItsThreeReasons(t *testing.T) {
	for _, c := range []struct{ lease, p99, want time.Duration }{
		{100 * ms, 0, 20 * ms},
		{100 * ms, 5 * ms, 20 * ms},
		{100 * ms, 30 * ms, 32 * ms},
		{400 * ms, 18 * ms, 20 * ms},
		{time.Second, 0, 50 * ms},
		{time.Second, 48 * ms, 50 * ms},
		{time.Second, 49 * ms, 51 * ms},
		{30 * time.Second, 3 * ms, 1500 * ms},
		{30 * time.Second, 2 * time.Second, 2002 * ms},
	} {
		require.Equal(t, c.want, grant.Margin(c.lease, c.p99), "lease %v, round trip %v", c.lease, c.p99)
	}
}

func TestValidityIsTheLeaseLessClockRateAndMargin(t *testing.T) {
	for _, c := range []struct {
		lease, p99 time.Duration
		rate       float64
		want       time.Duration
	}{
		{30 * time.Second, 3 * ms, 0.01, 30*time.Second - 300*ms - 1500*ms},
		{30 * time.Second, 3 * ms, 0, 30*time.Second - 1500*ms},
		{time.Second, 0, 0.01, 940 * ms},
		{100 * ms, 0, 0.01, 79 * ms},
		{100 * ms, 0, 0.5, 30 * ms},
		{100 * ms, 98 * ms, 0, 0},                        // the store is too slow for such a lease
		{100 * ms, time.Second, 0.01, -903 * ms},         // and much too slow
		{grant.MaxLease, 0, 0, grant.MaxLease / 20 * 19}, // no overflow
	} {
		require.InDelta(t, c.want, grant.Validity(c.lease, c.p99, c.rate), float64(20*time.Nanosecond),
			"lease %v, round trip %v, rate %v", c.lease, c.p99, c.rate)
	}
}

func TestValidityNeverReachesTheLease(t *testing.T) {
	for lease := grant.MinLease; lease < grant.MaxLease; lease = lease*3/2 + ms {
		for _, rate := range []float64{0, 0.01, 0.5} {
			for _, p99 := range []time.Duration{0, ms, 50 * ms, time.Minute} {
				v := grant.Validity(lease, p99, rate)
				require.LessOrEqual(t, v, lease-grant.Margin(lease, p99))
				require.LessOrEqual(t, v, lease-20*ms)
			}
		}
	}
}

func TestLeaseForAMaximumHoldIsValidForAllOfIt(t *testing.T) {
	for d := grant.MinLease; d < grant.MaxLease/2; d = d*3/2 + ms {
		require.GreaterOrEqual(t, grant.Validity(grant.LeaseFor(d), 50*ms, 0.01), d, "%v", d)
	}
}

func TestRenewalIsAtAThirdOrALittleSooner(t *testing.T) {
	for _, lease := range []time.Duration{grant.MinLease, time.Second, 30 * time.Second, grant.MaxLease} {
		early := false
		for range 200 {
			d := grant.RenewIn(lease)
			require.LessOrEqual(t, d, lease/3)
			require.GreaterOrEqual(t, d, lease/3-lease/30)
			early = early || d < lease/3-lease/300
		}
		require.True(t, early, "renewals of holds taken together stay together")
	}
}

// TestRetriesAreSoonThenRarer gives the middle of each range; a fifth to either
// side is chance.
func TestRetriesAreSoonThenRarer(t *testing.T) {
	for _, c := range []struct {
		lease    time.Duration
		failures int
		middle   time.Duration
	}{
		{30 * time.Second, 0, 250 * ms},
		{30 * time.Second, 1, 250 * ms},
		{30 * time.Second, 2, 500 * ms},
		{30 * time.Second, 3, time.Second},
		{30 * time.Second, 5, 4 * time.Second},
		{30 * time.Second, 6, 5 * time.Second},
		{30 * time.Second, 1000, 5 * time.Second},
		{time.Second, 1, 50 * ms},
		{time.Second, 2, 100 * ms},
		{time.Second, 3, time.Second / 6},
		{100 * ms, 1, 5 * ms},
		{100 * ms, 9, 100 * ms / 6},
		{grant.MaxLease, 1, 250 * ms},
	} {
		for range 100 {
			d := grant.RetryIn(c.lease, c.failures)
			require.Positive(t, d)
			require.InDelta(t, c.middle, d, float64(c.middle/5+1), "lease %v, failure %d", c.lease, c.failures)
		}
	}
}

// TestAfterALostRenewalThereIsTimeForTwoMore is why the numbers are what they
// are: each is given up after a sixth of the lease.
func TestAfterALostRenewalThereIsTimeForTwoMore(t *testing.T) {
	for _, lease := range []time.Duration{time.Second, 10 * time.Second, 30 * time.Second, time.Hour} {
		longest := func(failures int) time.Duration { // a fifth above the middle
			return min(lease/20<<(failures-1), 250*ms<<(failures-1), lease/6) * 6 / 5
		}
		third := lease/3 + lease/6 + longest(1) + lease/6 + longest(2)
		require.Less(t, third, grant.Validity(lease, 0, 0.01), "lease %v", lease)
	}
}
