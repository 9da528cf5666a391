package grant

import "time"

// Suspend makes the machine sleep d longer than it did, until the test's end.
func Suspend(d time.Duration) (wake func()) {
	before := slept
	slept = func() time.Duration { return before() + d }
	return func() { slept = before }
}
