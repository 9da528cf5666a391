package grant

import (
	"container/heap"
	"sync"
	"time"
)

// look at least this often while grants exist: a suspend stops Go's timers, and
// contexts must end within a second of waking.
const lookEvery = time.Second

// Keeper watches the clocks of all grants of one client with one goroutine,
// which is there only while there are grants: it lets ends come on time and
// says which grants want to be renewed.
type Keeper struct {
	// Renew is handed the grants that are due, by the lease each asks for. It
	// must not block. Nil: nothing is renewed here.
	Renew func([]Due)
	// Linger keeps the goroutine for a moment after the last grant, because the
	// next comes soon.
	Linger bool
	// Ahead is how far beyond what is due a renewal reaches, so that grants
	// share requests.
	Ahead time.Duration

	mu      sync.Mutex
	queue   byDue
	running bool
	leave   bool // no need to linger
	kick    chan struct{}
}

// Due is a grant to be renewed, and the lease to ask for.
type Due struct {
	Grant *Grant
	Lease time.Duration
}

// look puts g where its next instant says. The caller holds g's lock.
func (k *Keeper) look(g *Grant, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at.IsZero() {
		k.drop(g)
		return
	}
	g.due = at
	if g.slot >= 0 {
		heap.Fix(&k.queue, g.slot)
	} else {
		heap.Push(&k.queue, g)
	}
	switch {
	case !k.running:
		k.running = true
		if k.kick == nil {
			k.kick = make(chan struct{}, 1)
		}
		go k.run()
	case g.slot == 0 && at.Sub(Sent()) < lookEvery:
		Signal(k.kick)
	}
}

func (k *Keeper) forget(g *Grant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(g)
}

func (k *Keeper) drop(g *Grant) {
	if g.slot < 0 {
		return
	}
	heap.Remove(&k.queue, g.slot)
	if len(k.queue) == 0 && !k.Linger {
		Signal(k.kick)
	}
}

// Stop ends the goroutine at once; a grant that comes later starts it again.
func (k *Keeper) Stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 {
		heap.Pop(&k.queue)
	}
	if k.running {
		k.leave = true
		Signal(k.kick)
	}
}

func (k *Keeper) run() {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	idle := false
	for {
		now := Now()
		k.tend(now)
		k.mu.Lock()
		wait := lookEvery
		if len(k.queue) == 0 {
			// One more look before going: pairs that follow each other closely
			// share one goroutine.
			if idle || k.leave || !k.Linger {
				k.running, k.leave = false, false
				k.mu.Unlock()
				return
			}
		} else {
			wait = min(wait, k.queue[0].due.Sub(Now()))
		}
		idle = len(k.queue) == 0
		k.mu.Unlock()
		timer.Reset(max(wait, time.Millisecond))
		select {
		case <-timer.C:
		case <-k.kick:
		}
	}
}

// tend takes out what is due, lets time have its effect on it, and hands on
// what wants to be renewed, together with what will want to be soon.
func (k *Keeper) tend(now time.Time) {
	var due []Due
	collect := func(until, by time.Time) {
		for _, g := range k.pop(until) {
			if lease, ok := g.dueForRenewal(now, by); ok {
				due = append(due, Due{g, lease})
			}
		}
	}
	collect(now, now)
	if len(due) > 0 {
		collect(now.Add(k.Ahead), now.Add(k.Ahead))
		k.Renew(due)
	}
}

func (k *Keeper) pop(until time.Time) []*Grant {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []*Grant
	for len(k.queue) > 0 && !k.queue[0].due.After(until) {
		out = append(out, heap.Pop(&k.queue).(*Grant))
	}
	return out
}

type byDue []*Grant

func (q byDue) Len() int           { return len(q) }
func (q byDue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q byDue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].slot, q[j].slot = i, j
}

func (q *byDue) Push(x any) {
	g := x.(*Grant)
	g.slot = len(*q)
	*q = append(*q, g)
}

func (q *byDue) Pop() any {
	old := *q
	g := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	g.slot = -1
	return g
}
