package zkx

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/zkcore"
)

// beat asks a quorum, which keeps the session believed in. So does whatever else
// a quorum has answered meanwhile.
func (e *epoch) beat(ctx context.Context) error {
	before, _ := e.belief()
	bounded, cancel := context.WithTimeoutCause(ctx, e.timeout/4, errNoAnswer)
	defer cancel()
	_, err := e.one(bounded, zkcore.Op{Kind: zkcore.Check, Path: "/", Version: zkcore.AnyVersion})
	sent, until := e.belief()
	if !byQuorum(zkcore.Check, err) && !sent.After(before) {
		if bounded.Err() != nil && ctx.Err() == nil && !e.isCut() {
			// A server that is cut off from the others still answers the
			// driver's pings; another server may have a quorum.
			e.session.Reconnect()
		}
		return err
	}
	for _, g := range e.held() {
		g.Renewed(sent, until, 0)
	}
	return nil
}

// lookEvery bounds the sleep of who watches over a session: a suspend stops
// timers, and what it ended must show within a second of waking.
const lookEvery = time.Second

// watchOver keeps the session until it ends: heartbeats, the connection's
// states, the clock.
func (e *epoch) watchOver(ctx context.Context) {
	beats := make(chan error, 1)
	beating, fails := false, 0
	due := time.Now().Add(e.timeout / 4)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := grant.Now()
		_, until := e.belief()
		if !now.Before(until) {
			why := grant.Expired // by a pause of ours: no request has failed
			if fails > 0 || beating || e.isCut() {
				why = grant.Disconnected
			}
			e.end(why)
			return
		}
		if !beating && !time.Now().Before(due) {
			beating = true
			go func() { beats <- e.beat(ctx) }()
		}
		wait := min(lookEvery, until.Sub(now))
		if !beating {
			wait = min(wait, time.Until(due))
		}
		timer.Reset(max(wait, time.Millisecond))
		select {
		case err := <-beats:
			beating = false
			if err == nil {
				fails, due = 0, time.Now().Add(e.timeout/4)
				break
			}
			fails++
			due = time.Now().Add(min(e.core.set.Retry.Pause(fails), e.timeout/10))
			e.atRisk(err)
		case connected := <-e.link.changes:
			e.state(connected)
			due = time.Now()
		case <-timer.C:
		case <-e.session.Done():
			e.end(grant.SessionExpired)
			return
		case <-ctx.Done():
			e.end(grant.Closed)
			_ = e.session.Close(e.core.graceful.Load())
			return
		}
	}
}

var errCut = errors.New("the connection is lost")

// state follows the connection. Back in the same session, all that waits looks
// again: a watch may have been lost on the way.
func (e *epoch) state(connected bool) {
	e.mu.Lock()
	was := e.cut
	e.cut = !connected
	e.mu.Unlock()
	if !connected {
		e.atRisk(errCut)
	} else if was {
		e.wakeAll()
	}
}

func (e *epoch) atRisk(err error) {
	for _, g := range e.held() {
		g.NotRenewed(true, err)
	}
}
