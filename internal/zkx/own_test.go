package zkx_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

// events counts what an observer hears.
type events struct {
	mu   sync.Mutex
	seen []recipes.Event
}

func (e *events) Observe(x recipes.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, x)
}

func (e *events) count(kind string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.seen {
		if x.Kind == kind {
			n++
		}
	}
	return n
}

func TestShortHoldsAreTwoFlightsAndNoWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		require.NoError(t, lock(t, m).Release(t.Context())) // makes the directory
		f.did()
		for range 10 {
			h := lock(t, m)
			inner, err := m.Lock(h.Context(t.Context()))
			require.NoError(t, err)
			require.NoError(t, inner.Release(t.Context()))
			require.NoError(t, h.Release(t.Context()))
		}
		require.Equal(t, map[string]int{"create": 10, "list": 10, "delete": 10}, f.did())
	})
}

func TestOlderHoldWatchesItsNodeAndIsToldOfItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		h := lock(t, f.mutex(t))
		sleep(249 * time.Millisecond)
		require.Zero(t, f.did()["get"])
		sleep(10 * time.Millisecond)
		require.Equal(t, 1, f.did()["get"])
		start := time.Now()
		f.mu.Lock()
		f.remove("/locks/orders/" + f.children("/locks/orders")[0])
		f.mu.Unlock()
		<-h.Done()
		require.Less(t, time.Since(start), time.Second)
		lost(t, h.Err(), recipes.ReasonTaken)
		lost(t, h.Release(t.Context()), recipes.ReasonTaken)
	})
}
