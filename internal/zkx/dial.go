package zkx

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/zkcore"
)

// link is the connection state of a session, as its driver tells it.
type link struct {
	changes chan bool // the newest one; its reader is never waited for
}

func (l *link) set(connected bool) {
	for {
		select {
		case l.changes <- connected:
			return
		default:
		}
		select {
		case <-l.changes:
		default:
		}
	}
}

// keepSession opens one session after the other, as each ends, until the client
// is closed.
func (c *Core) keepSession() {
	defer close(c.stopped)
	fails := 0
	for c.Behind.Err() == nil {
		e, err := c.open()
		if err != nil {
			fails++
			c.announce(nil, err)
			c.log.Warn("no session", "err", err)
			c.rest(c.Behind, fails)
			continue
		}
		fails = 0
		c.announce(e, nil)
		e.watchOver(c.Behind)
		c.announce(nil, nil)
	}
}

// open opens a session and makes sure of it: until a quorum has answered in it,
// nothing is believed of it.
func (c *Core) open() (*epoch, error) {
	ctx, cancel := context.WithTimeoutCause(c.Behind, c.set.SessionTimeout/2, errNoServer)
	defer cancel()
	c.quiet.Asked(time.Now())
	l := &link{changes: make(chan bool, 1)}
	s, err := c.dialer.Dial(ctx, c.set.SessionTimeout, l.set)
	if err != nil {
		return nil, err
	}
	e := newEpoch(c, s, l)
	if err := e.beat(ctx); err != nil {
		_ = s.Close(false)
		return nil, err
	}
	return e, nil
}

// rest is the pause after the n-th failure in a row; it ends with ctx, and
// reports whether that came first.
func (c *Core) rest(ctx context.Context, n int) (over bool) {
	t := time.NewTimer(c.set.Retry.Pause(n))
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-ctx.Done():
		return true
	}
}

// answered reports whether err is an answer of the server.
func answered(err error) bool {
	var none *zkcore.SendError
	return !errors.As(err, &none)
}

// maybeDone reports whether a request without an answer may have been carried
// out, or may yet be.
func maybeDone(err error) bool {
	var none *zkcore.SendError
	return errors.As(err, &none) && none.Sent
}

// margin is the part of a session's time-out given up so that a holder stops
// before another can start.
func margin(timeout time.Duration) time.Duration { return max(100*time.Millisecond, timeout/10) }

// sessionValidity is how long a session may be believed in, counted from the
// instant before a request was sent that a quorum has answered. A server's clock
// runs at most rate faster than ours, and starts later.
func sessionValidity(timeout time.Duration, rate float64) time.Duration {
	return timeout - time.Duration(float64(timeout)*rate) - margin(timeout)
}
