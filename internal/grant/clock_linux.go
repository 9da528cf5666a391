package grant

import (
	"syscall"
	"time"
	"unsafe"
)

const (
	clockMonotonic = 1
	clockBoottime  = 7
)

// slept is replaced in tests.
var slept = sleptSinceBoot

// sleptSinceBoot is how long the machine has been suspended since boot: CLOCK_BOOTTIME
// counts suspends, CLOCK_MONOTONIC does not. The two are read one after the
// other, and a pause of this thread between them would look like a suspend, so
// the reading with the tightest bracket of a few wins.
func sleptSinceBoot() time.Duration {
	best, width := time.Duration(0), time.Duration(1<<62)
	for range 4 {
		before := read(clockMonotonic)
		boot := read(clockBoottime)
		after := read(clockMonotonic)
		if w := after - before; w < width {
			best, width = boot-after, w
		}
		if width < 100*time.Microsecond {
			break
		}
	}
	return max(best, 0)
}

func read(clock uintptr) time.Duration {
	var ts syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}
