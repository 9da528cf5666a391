package grant

import (
	"sync/atomic"
	"time"
)

var suspended atomic.Int64

func init() {
	machine := slept
	slept = func() time.Duration { return machine() + time.Duration(suspended.Load()) }
}

// Suspend makes the machine have slept d more, until undone.
func Suspend(d time.Duration) (undo func()) {
	suspended.Add(int64(d))
	return func() { suspended.Add(-int64(d)) }
}

// Live reports whether the grant still holds, by the clock of now.
func (g *Grant) Live() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.check(Now())
	return g.state < lost
}
