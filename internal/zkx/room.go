package zkx

import (
	"context"

	"github.com/holdfast-go/holdfast/zkcore"
)

// mostFlights of one session are on their way at a time. More would not be
// answered sooner, and a crowd at one lock must not keep the heartbeat waiting,
// by which all holds of the session live.
const mostFlights = 64

// room waits until a flight may go. Heartbeats need not wait.
func (e *epoch) room(ctx context.Context, ops []zkcore.Op) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if heartbeat(ops) {
		return nil
	}
	select {
	case e.asking <- struct{}{}:
		return nil
	default:
	}
	select {
	case e.asking <- struct{}{}:
		return nil
	case <-e.over:
		return zkcore.ErrSessionOver
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *epoch) leaveRoom(ops []zkcore.Op) {
	if !heartbeat(ops) {
		<-e.asking
	}
}

func heartbeat(ops []zkcore.Op) bool { return len(ops) == 1 && ops[0].Kind == zkcore.Check }

// unsent are the results of n ops that were not sent.
func unsent(n int, err error) ([]zkcore.Result, error) {
	none := &zkcore.SendError{Err: err}
	out := make([]zkcore.Result, n)
	for i := range out {
		out[i].Err = none
	}
	return out, none
}
