package mutex_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

var fates = map[string]fate{
	"before the request": cutBefore, "behind the request": cutAfter, "at the answer": cutAnswered,
}

// BL-85, BL-86, BL-88, BL-101, H-12: the connection is reset at every frame of a
// contended lock, an extension and a release in turn. One own node at most, none
// left when it is over.
func TestZooResetAtEveryFrameLeavesOneNodeAtMostAndNoneAtTheEnd(t *testing.T) {
	t.Parallel()
	for layout, opts := range zooLayouts {
		for name, does := range fates {
			t.Run(layout+", "+name, func(t *testing.T) {
				t.Parallel()
				r := newZooRig(t)
				m := r.broken(opts...)
				other := r.straight(opts...)
				release(t, lockIn(t, m, patience))
				for frame := 1; r.resetAt(m, other, frame, does); frame++ {
					require.Less(t, frame, 60, "it never gets to the end")
				}
			})
		}
	}
}

// resetAt plays the story with the n-th frame below the path, or the n-th check,
// cut. It reports whether there was one.
func (r *zooRig) resetAt(m, other *mutex.Mutex, n int, does fate) bool {
	t := r.t
	front := lockIn(t, other, patience)
	var seen atomic.Int64
	r.tap.decide(func(q zooRequest) fate {
		if q.op != "setWatches" && q.op != "" && seen.Add(1) == int64(n) {
			return does
		}
		return letPass
	})
	got := make(chan *recipes.Hold, 1)
	before := r.events.count(recipes.EventWaiting)
	go func() {
		h, err := m.Lock(t.Context())
		if err != nil {
			t.Errorf("frame %d: %v", n, err)
		}
		got <- h
	}()
	eventually(t, "in line", func() bool { return r.events.count(recipes.EventWaiting) > before })
	require.LessOrEqual(t, len(r.children()), 2)
	release(t, front)
	h := <-got
	require.NotNil(t, h)
	require.Len(t, r.children(), 1)
	_ = h.Extend(t.Context(), 0) // may say that it got no answer
	require.NoError(t, h.Err())
	require.NoError(t, h.Release(t.Context()))
	r.tap.decide(nil)
	r.free(soon + slack)
	return seen.Load() >= int64(n)
}

// A caller that leaves while its create has no answer leaves nothing 500 ms
// after the network is back.
func TestZooBL85CancelledCreateWithoutAnAnswerIsFoundAndDeleted(t *testing.T) {
	t.Parallel()
	for layout, opts := range zooLayouts {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			r := newZooRig(t)
			m := r.broken(opts...)
			release(t, lockIn(t, m, patience))
			for range 10 {
				r.tap.decide(func(q zooRequest) fate {
					if q.op == "create" {
						go r.tap.cut(true)
						return letPass
					}
					return letPass
				})
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				h, err := m.Lock(ctx)
				cancel()
				r.tap.decide(nil)
				if err == nil {
					r.tap.cut(false)
					release(t, h)
					continue
				}
				require.ErrorIs(t, err, recipes.ErrNotAcquired)
				r.tap.cut(false)
				healed := time.Now()
				r.free(slack)
				t.Log(fmt.Sprint("gone ", time.Since(healed), " after healing"))
			}
			release(t, lockIn(t, m, time.Second))
		})
	}
}
