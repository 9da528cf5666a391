package grant

import (
	"math/rand/v2"
	"time"
)

// MinLease is the shortest lease there is: under it the margin eats too much.
const MinLease = 100 * time.Millisecond

// MaxLease keeps lease arithmetic, in milliseconds in a store and in
// nanoseconds here, far from overflow: a hundred years.
const MaxLease = 100 * 365 * 24 * time.Hour

// Margin is the part of a lease given up so that a holder stops before another
// can start: time to be told, a slow round trip, a twentieth for the rest.
func Margin(lease, p99 time.Duration) time.Duration {
	return max(20*time.Millisecond, 2*time.Millisecond+p99, lease/20)
}

// Validity is how long a lease may be believed in, counted from the instant
// before the request for it was sent: the store starts the lease later than
// that, and its clock runs at most rate faster than ours. Zero or less means
// that nothing is left.
func Validity(lease, p99 time.Duration, rate float64) time.Duration {
	return lease - time.Duration(float64(lease)*rate) - Margin(lease, p99)
}

// LeaseFor is a lease whose validity covers a maximum hold of d, with what the
// margin and the clock rate take.
func LeaseFor(d time.Duration) time.Duration { return d + d/10 + MinLease }

// RenewIn is when a lease is renewed: at a third, up to a tenth of that sooner,
// so that holds taken together do not stay together.
func RenewIn(lease time.Duration) time.Duration {
	third := lease / 3
	return third - time.Duration(rand.Int64N(int64(third/10)+1))
}

// RetryIn is when a failed renewal is tried again: soon at first, then twice as
// late each time up to a sixth of the lease, give or take a fifth.
func RetryIn(lease time.Duration, failures int) time.Duration {
	d := min(lease/20, 250*time.Millisecond)
	for range min(failures-1, 16) {
		d *= 2
	}
	d = min(d, lease/6)
	return d - d/5 + time.Duration(rand.Int64N(int64(2*d/5)+1))
}
