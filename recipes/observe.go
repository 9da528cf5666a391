package recipes

import (
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Observer hears of what happens to the locks of a client, for metrics, traces
// and logs.
type Observer interface {
	// Observe must not block and must not call into the library: it runs inside
	// it, sometimes under its locks.
	Observe(e Event)
}

// Event is one thing that happened to one lock. Fields that a kind does not
// have are zero.
type Event struct {
	// Kind is one of the Event constants.
	Kind string
	// Recipe is the recipe's package name, for example "mutex".
	Recipe string
	Name   string
	// Wait is how long a Lock call took until it was granted or gave up.
	Wait time.Duration
	// Held is how long a hold lasted.
	Held time.Duration
	// Until is how long a hold is valid if nothing more is heard.
	Until time.Time
	Err   error
}

// Kinds of events.
const (
	EventWaiting        = grant.EventWaiting  // a Lock call has to wait; Err says for what, if not for another owner
	EventAcquired       = grant.EventAcquired // Wait, Until
	EventGaveUp         = grant.EventGaveUp   // a Lock call ended without a hold: Wait, Err
	EventAtRisk         = grant.EventAtRisk   // a renewal failed; lost at Until unless a later one works: Err
	EventSafe           = grant.EventSafe     // a renewal worked after EventAtRisk
	EventLost           = grant.EventLost     // Held, Err
	EventReleased       = grant.EventReleased // Held
	EventReleaseUnknown = grant.EventUnknown  // a release got no answer and is repeated: Held, Err
)
