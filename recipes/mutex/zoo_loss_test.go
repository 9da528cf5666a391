package mutex_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

// BL-91: also when somebody waits, and when the hold is new.
func TestZooBL91DeletedNodeIsNoticedWithinASecond(t *testing.T) {
	t.Parallel()
	for _, age := range []time.Duration{0, 500 * time.Millisecond} {
		for name, opts := range zooLayouts {
			t.Run(fmt.Sprintf("%s after %v", name, age), func(t *testing.T) {
				t.Parallel()
				r := newZooRig(t)
				h := lockIn(t, r.straight(opts...), patience)
				other := r.straight(opts...)
				got := make(chan *recipes.Hold, 1)
				go func() {
					if h, err := other.Lock(t.Context()); err == nil {
						got <- h
					}
				}()
				eventually(t, "in line", func() bool { return r.events.count(recipes.EventWaiting) == 1 })
				<-time.After(age)
				start := time.Now()
				require.NoError(t, r.oracle.Delete(r.path+"/"+r.children()[0], -1))
				noticed := lostBy(t, h, h.Context(t.Context()), time.Second+slack)
				t.Logf("noticed after %v", noticed.Sub(start))
				require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Err()))
				require.Equal(t, recipes.ReasonTaken, lostReason(t, h.Release(t.Context())))
				next := <-got
				require.NoError(t, next.Err(), "the evicted holder's release touches nobody else")
				release(t, next)
				r.free(slack)
			})
		}
	}
}

var zooLayouts = map[string][]mutex.ZooKeeperOption{
	"curator":     nil,
	"single node": {mutex.SingleNode()},
}

// BL-89, BL-110: the holder is told before the server can let another in, by its
// own clock, with no word from the server. 100 cuts of 100.
func TestZooBL89CutHolderIsToldBeforeTheNextGetsIn(t *testing.T) {
	t.Parallel()
	const holders, rounds = 20, 5
	var mu sync.Mutex
	var least time.Duration = time.Hour
	var g sync.WaitGroup
	for i := range holders {
		g.Go(func() {
			r := newZooRig(t)
			r.path += fmt.Sprintf("/%d", i)
			m, other := r.broken(), r.straight()
			for range rounds {
				lead := r.cutRound(m, other)
				mu.Lock()
				least = min(least, lead)
				mu.Unlock()
			}
		})
	}
	g.Wait()
	t.Logf("%d cuts; the closest call was %v", holders*rounds, least)
	require.Positive(t, least)
}

// cutRound is one hold that is cut off while another client waits. It returns
// how long before the other's grant the holder knew.
func (r *zooRig) cutRound(m, other *mutex.Mutex) time.Duration {
	t := r.t
	h := lockAgain(t, m)
	if h == nil {
		return 0
	}
	granted := make(chan time.Time, 1)
	go func() {
		next, err := other.Lock(context.WithoutCancel(t.Context()))
		at := time.Now()
		if err == nil {
			err = next.Release(context.WithoutCancel(t.Context()))
		}
		if err != nil {
			t.Errorf("the next: %v", err)
		}
		granted <- at
	}()
	r.tap.darken(true)
	select {
	case <-h.Done():
	case <-time.After(2 * session):
		t.Error("not told")
	}
	told := time.Now()
	if why := lostReason(t, h.Err()); why != recipes.ReasonDisconnected && why != recipes.ReasonExpired {
		t.Errorf("lost for %v", why)
	}
	lead := (<-granted).Sub(told)
	r.tap.darken(false)
	_ = h.Release(t.Context())
	return lead
}

func TestZooStoppedServerIsNoticedBeforeItCanLetAnotherIn(t *testing.T) {
	t.Parallel()
	r := zooRigOn(t, stores.ZooKeeper(t))
	h := lockIn(t, r.straight(), patience)
	start := time.Now()
	require.NoError(t, r.server.Pause())
	lostBy(t, h, h.Context(t.Context()), 2*session)
	require.Less(t, time.Since(start), session)
	require.NoError(t, r.server.Resume())
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrLost)
	release(t, lockIn(t, r.straight(), 10*time.Second))
}

func TestZooReconnectWithinTheSessionKeepsHoldAndPlaces(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	m := r.broken()
	h := lockIn(t, m, patience)
	got := make(chan *recipes.Hold, 4)
	r.waiting(t.Context(), m, 2, got)
	r.waiting(t.Context(), r.straight(), 1, got)
	r.waiting(t.Context(), m, 1, got)
	places := r.children()
	for range 8 {
		r.tap.cut(true)
		<-time.After(session / 6)
		r.tap.cut(false)
		eventually(t, "back", func() bool { return h.Extend(t.Context(), 0) == nil })
	}
	require.Equal(t, places, r.children())
	require.NoError(t, h.Err())
	release(t, h)
	for i := range 4 {
		next := <-got
		require.Equal(t, places[i+1], next.Owner())
		release(t, next)
	}
	r.free(slack)
}

func TestZooServerThatRestartsSoonCostsNoHold(t *testing.T) {
	t.Parallel()
	r := zooRigOn(t, stores.ZooKeeper(t))
	// The server takes a second or two to start: the time-out is above that.
	c := zooConnect(t, []string{r.server.Addr()}, longSession)
	m := mutex.NewZooKeeper(c, r.path)
	h := lockIn(t, m, patience)
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), m, 1, got)
	places := r.children()
	require.NoError(t, r.server.Restart(t.Context()))
	eventually(t, "back", func() bool { return h.Extend(t.Context(), 0) == nil })
	require.Equal(t, places, r.children())
	release(t, h)
	release(t, <-got)
}
