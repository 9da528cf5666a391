package peer

import (
	"context"
	"time"
)

// Watchdog in place of a lease: none is given, the library renews.
const Watchdog time.Duration = -1

// NoWait in place of a wait: none is given, the library asks once.
const NoWait time.Duration = -1

// Thread is one named Java thread of a peer, and so one owner.
type Thread struct {
	peer *Peer
	name string
}

// Go sends any op; the typed verbs are made of it. Numbers named wait and
// lease are milliseconds.
func Go[T any](t Thread, op string, args map[string]any) *Call[T] {
	return send[T](t.peer, op, t.name, args)
}

// Owner is the text under which the library stores this thread's holds.
func (t Thread) Owner(ctx context.Context) (string, error) {
	return Go[string](t, "id", nil).Get(ctx)
}

// Interrupt is Thread.interrupt: it meets the op that runs now, not one queued.
func (t Thread) Interrupt(ctx context.Context) error {
	return Go[struct{}](t, "interrupt", nil).Err(ctx)
}

// Stop lets the workload that runs now end after its round.
func (t Thread) Stop(ctx context.Context) error {
	return Go[struct{}](t, "stop", nil).Err(ctx)
}

// Ping asks whether the process answers at all.
func (p *Peer) Ping(ctx context.Context) error {
	return send[string](p, "ping", "", nil).Err(ctx)
}

// args of a verb on a named recipe object. A wait or a lease that is not given
// is left out, since Java has separate methods without them.
func args(name string, wait, lease time.Duration) map[string]any {
	a := map[string]any{"name": name}
	if wait >= 0 {
		a["wait"] = wait.Milliseconds()
	}
	if lease >= 0 {
		a["lease"] = lease.Milliseconds()
	}
	return a
}
