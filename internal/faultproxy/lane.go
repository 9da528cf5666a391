package faultproxy

import (
	"sync"
	"time"
)

// ending is what an item does to its direction when it holds no bytes.
type ending int

const (
	endNone    ending = iota
	endSilence        // nothing after it passes
	endHalf           // tell the receiver that no more will come
	endClose          // close the connection
	endReset          // reset the connection
)

type item struct {
	data []byte
	end  ending
	due  time.Time
	done *line // the request that is answered when this has passed
	code int32 // of that answer
}

// state is what stands in the way of one direction.
type state struct {
	delay  time.Duration
	paused bool
	hole   bool
}

// lane is one direction of one connection: frames go in when they were read
// and come out, in order, when nothing stands in their way. It is a queue in
// front of a delay, so that a delay adds to the latency and takes nothing
// from the throughput.
type lane struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a waiter should look again
	items   []item
	state   state
	// lost: bytes are missing. What came after them would be misread, so
	// nothing may.
	lost bool
}

// room is how many frames a lane takes before its reader waits.
const room = 1024

func newLane(s state) *lane { return &lane{changed: make(chan struct{}), state: s} }

// change runs f and makes every waiter look again.
func (l *lane) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lane) set(f func(*state)) { l.change(func() { f(&l.state) }) }

// push never waits, as it is called with a lock held.
func (l *lane) push(it item) {
	l.change(func() {
		it.due = time.Now().Add(l.state.delay)
		l.items = append(l.items, it)
	})
}

// next waits for the next item that may pass; false when done is closed.
func (l *lane) next(done <-chan struct{}) (item, bool) {
	for {
		l.mu.Lock()
		it, wait, ok := l.head()
		changed := l.changed
		l.mu.Unlock()
		if ok {
			return it, true
		}
		if !pause(wait, changed, done) {
			return item{}, false
		}
	}
}

// head takes the first item that may pass now, and the bytes in front of it
// that a fault swallows. Otherwise wait is how long until the first is due, 0
// when only a change can help.
func (l *lane) head() (it item, wait time.Duration, ok bool) {
	for len(l.items) > 0 && !l.state.paused {
		it = l.items[0]
		if wait = time.Until(it.due); wait > 0 {
			return item{}, wait, false
		}
		if l.state.hole && it.end != endNone {
			return item{}, 0, false // the end of a connection does not show either
		}
		l.items[0] = item{} // let go of its bytes
		l.items = l.items[1:]
		switch {
		case it.end == endSilence, it.end == endNone && (l.state.hole || l.lost):
			l.lost = true
		default:
			return it, 0, true
		}
	}
	return item{}, 0, false
}

// waitRoom holds a reader back while its direction is paused or full, so that
// the sender feels it; false when done is closed. Taking an item out announces
// nothing, so a full lane is looked at again by and by.
func (l *lane) waitRoom(done <-chan struct{}) bool {
	for {
		l.mu.Lock()
		paused, full := l.state.paused, len(l.items) >= room
		changed := l.changed
		l.mu.Unlock()
		var again time.Duration
		switch {
		case !paused && !full:
			return true
		case !paused:
			again = time.Millisecond
		}
		if !pause(again, changed, done) {
			return false
		}
	}
}

// pause waits for d (0: no limit) or a change; false when done is closed.
func pause(d time.Duration, changed, done <-chan struct{}) bool {
	var timeout <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timeout = t.C
	}
	select {
	case <-done:
		return false
	case <-changed:
	case <-timeout:
	}
	return true
}
