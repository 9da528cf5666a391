package grant

import (
	"fmt"
	"time"
)

// Options are what one Lock call asks for; recipes.LockOption fills them.
type Options struct {
	Wait    time.Duration // at most this long in line; <= 0 asks once
	HasWait bool
	Lease   time.Duration // ends this long after the grant
	Leased  bool
	MaxHold time.Duration // renewed, but not beyond this
	Bounded bool
	Shared  bool // beside others of its kind: the read side of a lock; set by the recipe
	bad     string
}

// Reject notes what is wrong with an option; the call reports it.
func (o *Options) Reject(format string, args ...any) {
	if o.bad == "" {
		o.bad = fmt.Sprintf(format, args...)
	}
}

// Check is the text of what is wrong, or empty. try is true for the Try forms.
func (o *Options) Check(try bool) string {
	switch {
	case o.bad != "":
		return o.bad
	case try && o.HasWait && o.Wait > 0:
		return "a try does not wait: WithWait must not be above 0"
	case o.Leased && o.Bounded:
		return "WithLease and WithMaxHold exclude each other"
	}
	return ""
}

// BadLease is the text of what is wrong with a lease, or empty.
func BadLease(d time.Duration) string {
	switch {
	case d < MinLease:
		return fmt.Sprintf("%v is shorter than the least lease, %v", d, MinLease)
	case d > MaxLease:
		return fmt.Sprintf("%v is longer than the longest lease, %v", d, MaxLease)
	}
	return ""
}
