package mutex_test

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

const revoke = "__REVOKE__" // Curator's message

func TestZooHolderHearsARequestToLetGo(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	heard := make(chan *recipes.Hold, 4)
	h := lockIn(t, r.straight(mutex.OnRevoke(func(h *recipes.Hold) { heard <- h })), patience)
	data, _, err := r.oracle.Get(r.path + "/" + h.Owner())
	require.NoError(t, err)
	require.Empty(t, data, "as Curator marks who can be asked")

	asker := r.straight()
	st, err := asker.Inspect(t.Context())
	require.NoError(t, err)
	require.NoError(t, asker.RequestRevoke(t.Context(), st.Holders[0]))
	asked := <-heard
	require.Equal(t, h.Owner(), asked.Owner())
	require.NoError(t, asked.Err(), "it is only a request")

	// Other data is none; a second request is told again.
	_, err = r.oracle.Set(r.path+"/"+h.Owner(), []byte(revoke+"\n"), -1)
	require.NoError(t, err)
	_, err = r.oracle.Set(r.path+"/"+h.Owner(), []byte(revoke), -1)
	require.NoError(t, err)
	<-heard
	release(t, asked)
	require.ErrorIs(t, h.Release(t.Context()), recipes.ErrNotHeld, "the same level")
	require.Empty(t, heard)
	r.free(slack)
	require.ErrorIs(t, asker.RequestRevoke(t.Context(), st.Holders[0]), recipes.ErrNotHeld)
}

// Curator loses a message that comes between the create and its first look.
func TestZooRequestToAWaiterIsToldWhenItHolds(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	front := lockIn(t, r.straight(), patience)
	heard := make(chan *recipes.Hold, 1)
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), r.straight(mutex.OnRevoke(func(h *recipes.Hold) { heard <- h })), 1, got)
	_, err := r.oracle.Set(r.path+"/"+r.children()[1], []byte(revoke), -1)
	require.NoError(t, err)
	require.Empty(t, heard)
	release(t, front)
	release(t, <-got)
	// It may have let go before it was told.
	select {
	case <-heard:
	case <-time.After(soon):
	}
}

func TestZooRequestToAHolderThatDoesNotListenDoesNothing(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	m := r.straight()
	h := lockIn(t, m, patience)
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), r.straight(), 1, got)
	st, err := m.Inspect(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.RequestRevoke(t.Context(), st.Holders[0]))
	require.NoError(t, h.Extend(t.Context(), 0))
	require.Empty(t, got, "changed data lets nobody in")
	release(t, h)
	release(t, <-got)
}

func TestZooRevocationIsRefusedWhereThereIsNone(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	h := recipes.Holder{ID: "x"}
	require.ErrorIs(t, r.straight(mutex.SingleNode()).RequestRevoke(t.Context(), h), recipes.ErrInvalid)
	require.ErrorIs(t, newRig(t).straight().RequestRevoke(t.Context(), h), recipes.ErrInvalid)
}

func TestZooInspectShowsTheLineAndForceReleaseTakesTheHolderOnly(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	m := r.straight()
	st, err := m.Inspect(t.Context())
	require.NoError(t, err)
	require.Equal(t, recipes.Status{Name: r.path, Limit: 1, Free: 1, QueueStored: true}, st, "nothing is there")

	h := lockIn(t, m, patience)
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), r.straight(), 1, got)
	st, err = m.Inspect(t.Context())
	require.NoError(t, err)
	fence, _ := h.Fence()
	require.Len(t, st.Holders, 1)
	holder := st.Holders[0]
	require.Equal(t, h.Owner(), holder.ID)
	require.Equal(t, fence, holder.Fence)
	require.True(t, holder.HasFence)
	require.WithinDuration(t, time.Now(), holder.Since, 10*time.Second)
	require.Len(t, st.Waiters, 1)
	require.Equal(t, r.children()[1], st.Waiters[0].ID)

	waiter := recipes.Holder{ID: st.Waiters[0].ID}
	require.ErrorIs(t, m.ForceRelease(t.Context(), waiter), recipes.ErrNotHeld)
	wrong := holder
	wrong.Fence++
	require.ErrorIs(t, m.ForceRelease(t.Context(), wrong), recipes.ErrNotHeld, "the creation is compared")
	require.NoError(t, m.ForceRelease(t.Context(), holder))
	lostBy(t, h, h.Context(t.Context()), time.Second+slack)
	require.ErrorIs(t, m.ForceRelease(t.Context(), holder), recipes.ErrNotHeld)
	next := <-got
	token, _ := next.Fence()
	require.Greater(t, token, fence)
	release(t, next)
}

// BL-113: a contender whose session is long gone, as a defect of a server may
// leave it, shows with its age, and goes by ForceRelease. The library takes
// nobody's node away by itself.
func TestZooBL113ContenderWithoutASessionIsShownAndCanBeTakenAway(t *testing.T) {
	t.Parallel()
	r := newZooRig(t)
	r.plant("", zk.FlagPersistent, worldACL)
	r.plant("_c_5b76960a-6fd3-4581-9880-fff5953b3dc6-lock-", zk.FlagSequence, worldACL)
	m := r.straight()
	got := make(chan *recipes.Hold, 1)
	r.waiting(t.Context(), r.straight(), 1, got)
	st, err := m.Inspect(t.Context())
	require.NoError(t, err)
	require.Len(t, st.Holders, 1)
	require.NoError(t, m.ForceRelease(t.Context(), st.Holders[0]))
	release(t, <-got)
}
