package peer

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Rounds is many times enter, work, leave in one call. In wait and lease a
// zero stands for none given, since nobody loops on a lease of nothing.
type Rounds struct {
	N           int           // rounds at most; Thread.Stop ends them sooner
	Think       time.Duration // inside
	Pause       time.Duration // between two rounds
	Wait, Lease time.Duration
}

// Work tells what became of Rounds.
type Work struct {
	Entered, Refused int
	Sold             int // by GoInventory
	History          []Stay
}

// Stay is one time inside, by the wall clock. From Got to Leaving nobody else
// may have been in; the lock was given back somewhere from Leaving to Left.
type Stay struct{ Asked, Got, Leaving, Left time.Time }

// UnmarshalJSON reads the four numbers that the peer sends.
func (s *Stay) UnmarshalJSON(text []byte) error {
	var nanos []int64
	if err := json.Unmarshal(text, &nanos); err != nil {
		return err
	}
	if len(nanos) != 4 {
		return fmt.Errorf("a stay of %d times", len(nanos))
	}
	at := func(i int) time.Time { return time.Unix(0, nanos[i]) }
	*s = Stay{at(0), at(1), at(2), at(3)}
	return nil
}

// GoLoop does nothing inside but to think.
func (l Lock) GoLoop(r Rounds) *Call[Work] {
	return l.work(l.recipe, l.name, "loop", r, nil)
}

// GoInventory sells one piece a round: reads the plain values stock and sold,
// thinks, and writes stock-1 and sold+1 while there is stock. Nothing but the
// lock makes that atomic.
func (l Lock) GoInventory(stock, sold string, r Rounds) *Call[Work] {
	return l.work(l.recipe, l.name, "inventory", r, map[string]any{"stock": stock, "sold": sold})
}

func (t Thread) work(recipe, name, kind string, r Rounds, more map[string]any) *Call[Work] {
	orNone := func(d time.Duration) time.Duration {
		if d == 0 {
			return -1
		}
		return d
	}
	a := args(name, orNone(r.Wait), orNone(r.Lease))
	a["recipe"] = recipe
	a["rounds"] = r.N
	a["think"] = r.Think.Microseconds()
	a["pause"] = r.Pause.Microseconds()
	maps.Copy(a, more)
	return Go[Work](t, "work."+kind, a)
}
