package stores

import (
	"runtime"
	"strings"
	"time"
)

// leaked is the stacks of the goroutines that are left when a test process
// is about to end, and "" when there are none. Some are on their way out when
// the tests are done, so it looks again for a while.
func leaked() string {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := strays()
		if left == "" || time.Now().After(end) {
			return left
		}
	}
}

// strays leaves out the goroutine that asks and those of the runtime and the
// test framework.
func strays() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var left []string
	for _, g := range strings.Split(string(buf), "\n\n")[1:] {
		if !strings.Contains(g, "os/signal.") && !strings.Contains(g, "runtime/trace.") &&
			!strings.Contains(g, "runtime/pprof.") && !strings.Contains(g, "testing.(*F)") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}
