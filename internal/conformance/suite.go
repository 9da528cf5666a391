// Package conformance is one suite for everything that is a recipes.Locker. A
// recipe says how to make its locks on some deployment and what they can do,
// and Run puts them through every scenario that this allows.
package conformance

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// Clients is how many independent clients a trial has: two that contend and one
// that looks on.
const Clients = 3

// Calm is the watchdog lease where a scenario does not wait for one to run out.
// Its length shows what was not cleaned up: nothing lapses while a trial looks.
const Calm = 30 * time.Second

// Subject is one recipe in one layout on one deployment.
type Subject struct {
	// New makes fresh clients for one trial. The first renews its holds with
	// the given lease, the others with Calm.
	New func(t *testing.T, lease time.Duration) Deployment
	// Bubble runs each scenario in testing/synctest: for locks without a store,
	// whose time then costs nothing and is exact.
	Bubble bool
	// Fences: holds carry a token.
	Fences bool
	// Ordered: grants follow the order of claims across clients, too.
	Ordered bool
	// QueueStored: who waits stands in the store, where an inspection shows it.
	// What a call that has ended leaves there goes a moment later.
	QueueStored bool
	// Sessions: holds have no lease of their own, but last as long as their
	// client's session, which the watchdog keeps. So an inspection knows since
	// when somebody holds, and no count and no TTL.
	Sessions bool
	// Naming is how the lock of that name is called in the trial of that tag;
	// nil: tag, colon, name.
	Naming func(tag, name string) string
	// Patience is how long "soon" may take where the lock is only slower than
	// others; 0: the usual.
	Patience time.Duration
}

// Deployment is the clients of one trial.
type Deployment interface {
	// Locker is the lock of that name at a client. Where a lock lives in the
	// process, all clients are one.
	Locker(client int, name string) recipes.Locker
	// Waiting is how many Lock calls of that name have had to wait so far. A
	// Subject in a bubble is not asked.
	Waiting(name string) int
}

// Store is a Deployment whose locks live in a store. Its Lockers are
// recipes.Inspectors.
type Store interface {
	Deployment
	// Close closes a client.
	Close(ctx context.Context, client int) error
	// Left is what is stored under names that contain tag, and who listens for
	// changes there or is connected after a Close that returned nil; without what
	// is documented to stay: marks of undone owners, fences, empty containers.
	Left(tag string) (stored, listeners []string, err error)
	// Delete deletes what the store has of a lock, by hand.
	Delete(t *testing.T, name string)
}

// scenario is one sentence of the contract.
type scenario struct {
	name string
	// lease of the first client's watchdog; 0: Calm.
	lease time.Duration
	needs need
	run   func(c *trial)
}

// need is what a scenario asks of a subject beyond a Locker.
type need int

const (
	aLocker need = iota
	aStore       // several clients, a watchdog, Inspect, Close
	anOrder
	aQueue // in the store
)

func (n need) met(s Subject) bool {
	switch n {
	case aStore:
		return !s.Bubble
	case anOrder:
		return s.Ordered
	case aQueue:
		return s.QueueStored
	default:
		return true
	}
}

// Short is a watchdog lease to wait for; shorter, and a busy machine loses holds.
const Short = 3 * time.Second

// Run puts a subject through the suite, each scenario a subtest. Subtests run in
// parallel; what they share is up to Subject.New.
func Run(t *testing.T, s Subject) {
	for _, sc := range scenarios() {
		if !sc.needs.met(s) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			if s.Bubble {
				synctest.Test(t, func(t *testing.T) { sc.run(newTrial(t, s, sc)) })
				return
			}
			t.Parallel()
			sc.run(newTrial(t, s, sc))
		})
	}
}

func scenarios() []scenario {
	return slices.Concat(
		exclusion, tries, cancelling, order,
		reentry, siblings,
		contexts, releasing,
		leases, nested, extending, watchdog, losing, fences,
		options, doing, inspecting, closing, signals,
	)
}
