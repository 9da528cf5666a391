package zkx_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

// nth lets the n-th request of a kind meet a fate.
func nth(kind zkcore.Kind, n int, fate string) func(zkcore.Op) string {
	return func(op zkcore.Op) string {
		if op.Kind != kind || !strings.HasPrefix(op.Path, "/locks/orders/") {
			return ""
		}
		if n--; n == 0 {
			return fate
		}
		return ""
	}
}

func layouts(t *testing.T, f func(t *testing.T, opts ...mutex.ZooKeeperOption)) {
	t.Run("curator", func(t *testing.T) { f(t) })
	t.Run("single node", func(t *testing.T) { f(t, mutex.SingleNode()) })
}

// BL-85, BL-86: one node whatever is lost, and none when it is over.
func TestLostCreateMakesOneNodeAtMost(t *testing.T) {
	layouts(t, func(t *testing.T, opts ...mutex.ZooKeeperOption) {
		for _, fate := range []string{"request", "reply"} {
			t.Run(fate, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					m := mutex.NewZooKeeper(f.client(t), "/locks/orders", opts...)
					require.NoError(t, lock(t, m).Release(t.Context()))
					f.losing(nth(zkcore.Create, 1, fate))
					h := lock(t, m)
					require.Len(t, f.contenders(), 1)
					token, ok := h.Fence()
					require.True(t, ok)
					f.mu.Lock()
					require.Equal(t, f.nodes["/locks/orders/"+f.children("/locks/orders")[0]].Czxid, token)
					f.mu.Unlock()
					require.NoError(t, h.Release(t.Context()))
					require.Empty(t, f.contenders())
				})
			})
		}
	})
}

func TestCallerThatLeavesDuringALostCreateLeavesNothing(t *testing.T) {
	layouts(t, func(t *testing.T, opts ...mutex.ZooKeeperOption) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			m := mutex.NewZooKeeper(f.client(t), "/locks/orders", opts...)
			require.NoError(t, lock(t, m).Release(t.Context()))
			f.losing(func(op zkcore.Op) string {
				switch op.Kind {
				case zkcore.Create:
					return "reply"
				case zkcore.Sync, zkcore.List, zkcore.Get:
					return "request"
				default:
					return ""
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := m.Lock(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Len(t, f.contenders(), 1, "it cannot know yet")
			f.losing(nil)
			sleep(2 * time.Second)
			require.Empty(t, f.contenders())
		})
	})
}

// BL-88, BL-41, BL-101: a delete is repeated until it is answered.
func TestLostDeleteIsRepeatedBehindTheRelease(t *testing.T) {
	layouts(t, func(t *testing.T, opts ...mutex.ZooKeeperOption) {
		for _, fate := range []string{"request", "reply"} {
			t.Run(fate, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake()
					m := mutex.NewZooKeeper(f.client(t), "/locks/orders", opts...)
					h := lock(t, m)
					f.losing(nth(zkcore.Delete, 1, fate))
					require.NoError(t, h.Release(t.Context()))
					require.Empty(t, f.contenders())
					require.NoError(t, lock(t, m).Release(t.Context()))
				})
			})
		}
	})
}

func TestReleaseWithoutAnAnswerIsUnknownAndGoesOnBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		h := lock(t, m)
		f.losing(func(op zkcore.Op) string {
			if op.Kind == zkcore.Delete {
				return "request"
			}
			return ""
		})
		start := time.Now()
		err := h.Release(t.Context())
		require.ErrorIs(t, err, recipes.ErrUnknown)
		require.Equal(t, 5*time.Second, time.Since(start), "the release budget")
		var u *recipes.UnknownError
		require.ErrorAs(t, err, &u)
		require.True(t, u.Until.After(time.Now()))
		f.losing(nil)
		sleep(2 * time.Second)
		require.Empty(t, f.contenders())
	})
}

// A request on a connection that was cut can be carried out after the one that
// took its place.
func TestSecondNodeOfALateCreateIsTakenAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		require.NoError(t, lock(t, m).Release(t.Context()))
		front := lock(t, m)
		var late zkcore.Op
		f.losing(func(op zkcore.Op) string {
			if op.Kind == zkcore.Create && late.Path == "" {
				late = op
				return "request"
			}
			return ""
		})
		done := make(chan *recipes.Hold, 1)
		go func() {
			h, err := m.Lock(context.WithoutCancel(t.Context()))
			if err == nil {
				done <- h
			}
		}()
		sleep(100 * time.Millisecond)
		require.Len(t, f.contenders(), 2)
		f.carryOut(f.current, late)
		require.Len(t, f.contenders(), 3)
		require.NoError(t, front.Release(t.Context()))
		h := <-done
		require.NoError(t, h.Err())
		require.NoError(t, h.Release(t.Context()))
		sleep(5 * time.Second)
		require.Empty(t, f.contenders())
	})
}

func TestNodeOfALostSessionIsTakenAwayOnceItsWorkHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := f.mutex(t)
		h := lock(t, m)
		old := f.current
		f.silence(true, true)
		<-h.Done()
		f.silence(false, false)
		sleep(5 * time.Second)
		require.NotEqual(t, old, f.current)
		require.Len(t, f.contenders(), 1, "the session is over for us, not at the server")
		lost(t, h.Release(t.Context()), recipes.ReasonDisconnected)
		sleep(5 * time.Second)
		require.Empty(t, f.contenders())
	})
}

// The create was answered: the lock is held, whatever becomes of the watch.
func TestWaitThatEndsWhileItsWatchIsSetWasRefused(t *testing.T) {
	layouts(t, func(t *testing.T, opts ...mutex.ZooKeeperOption) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			h := lock(t, mutex.NewZooKeeper(f.client(t), "/locks/orders", opts...))
			sleep(time.Second) // its own node is watched
			waiter := mutex.NewZooKeeper(f.client(t), "/locks/orders", opts...)
			f.losing(nth(zkcore.Get, 1, "silence"))
			_, err := waiter.Lock(t.Context(), recipes.WithWait(300*time.Millisecond))
			require.ErrorIs(t, err, recipes.ErrNotAcquired)
			f.losing(nil)
			require.NoError(t, h.Release(t.Context()))
		})
	})
}
