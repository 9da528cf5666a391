package peer

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func (z *keeper) stored(t *testing.T) {
	ctx, lock := patience(t), "/stored/a"
	p := z.a
	t1, t2 := p.Thread("t1").Mutex(lock), p.Thread("t2").Mutex(lock)
	require.NoError(t, t1.Acquire(ctx))
	require.NoError(t, t1.Acquire(ctx), "a level deeper")
	waiting := t2.GoAcquire()
	z.length(t, lock, 2)
	nodes := z.line(t, lock)
	owner, err := t1.Session(ctx)
	require.NoError(t, err)
	require.Equal(t, "0x"+strconv.FormatInt(owner, 16), p.ID())
	for _, node := range nodes {
		require.Regexp(t, `^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lock-\d{10}$`, node)
		_, stat, err := z.raw.Get(lock + "/" + node)
		require.NoError(t, err)
		require.Equal(t, owner, stat.EphemeralOwner)
	}
	listed, err := t1.Participants(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{lock + "/" + nodes[0], lock + "/" + nodes[1]}, listed)

	require.NoError(t, t1.Release(ctx))
	require.Equal(t, nodes, z.line(t, lock))
	require.NoError(t, t1.Release(ctx))
	require.ErrorIs(t, t1.Release(ctx), ErrNotOwner)
	require.NoError(t, waiting.Err(ctx))
	require.Equal(t, nodes[1:], z.line(t, lock))
	require.NoError(t, t2.Release(ctx))
	require.Empty(t, z.line(t, lock))
}

func (z *keeper) refused(t *testing.T) {
	ctx, lock := patience(t), "/refused/a"
	a, b := z.a.Thread("t1").Mutex(lock), z.b.Thread("t1").Mutex(lock)
	require.NoError(t, a.Acquire(ctx))
	for _, wait := range []time.Duration{NoWait, 50 * time.Millisecond} {
		got, err := b.TryAcquire(ctx, wait)
		require.NoError(t, err)
		require.False(t, got)
	}
	held, err := b.Acquired(ctx)
	require.NoError(t, err)
	require.False(t, held)
	held, err = a.Acquired(ctx)
	require.NoError(t, err)
	require.True(t, held)
	require.Len(t, z.line(t, lock), 1)
	waiting := b.GoAcquire()
	z.length(t, lock, 2)
	require.NoError(t, b.Interrupt(ctx))
	require.ErrorIs(t, waiting.Err(ctx), ErrInterrupted)
	z.length(t, lock, 1)
	require.NoError(t, a.Release(ctx))
}

func (z *keeper) killed(t *testing.T) {
	const lock = "/killed/a"
	a, b := z.run(t, "dying", 4*time.Second), z.b.Thread("t1").Mutex(lock)
	ctx := patience(t)
	require.NoError(t, a.Thread("t1").Mutex(lock).Acquire(ctx))
	waiting := b.GoAcquire()
	z.length(t, lock, 2)
	a.Kill()
	require.Len(t, z.line(t, lock), 2)
	require.NoError(t, waiting.Err(ctx))
	require.Len(t, z.line(t, lock), 1)
	require.NoError(t, b.Release(ctx))
}

func (z *keeper) expired(t *testing.T) {
	ctx, lock := patience(t), "/expired/a"
	a := z.a.Thread("t1")
	require.NoError(t, a.Mutex(lock).Acquire(ctx))
	before, err := a.Session(ctx)
	require.NoError(t, err)
	// The client may take it back between our taking it over and closing it.
	for there := true; there; there = slices.Contains(z.server.Sessions(t), before) {
		if err := z.server.KillSession(ctx, before); !errors.Is(err, stores.ErrNoSession) {
			require.NoError(t, err)
		}
	}
	require.Empty(t, z.line(t, lock))
	seen, err := a.States(ctx)
	require.NoError(t, err)
	require.Equal(t, "CONNECTED", seen[0].State)
	var states []string
	require.Eventually(t, func() bool {
		seen, err := a.States(ctx)
		require.NoError(t, err)
		states = nil
		for _, s := range seen {
			states = append(states, s.State)
		}
		return len(states) > 3 && states[len(states)-1] == "RECONNECTED"
	}, soon, 20*time.Millisecond)
	require.Equal(t, []string{"SUSPENDED", "LOST", "RECONNECTED"}, states[len(states)-3:])
	after, err := a.Session(ctx)
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	require.NoError(t, a.Mutex(lock).Release(ctx), "Curator does not say that the lock was lost")
}

func (z *keeper) revoked(t *testing.T) {
	ctx, lock := patience(t), "/revoked/a"
	p := z.a
	a, b := p.Thread("t1").Mutex(lock), z.b.Thread("t1").Mutex(lock)
	require.NoError(t, a.MakeRevocable(ctx))
	require.NoError(t, a.Acquire(ctx))
	heard, err := a.AwaitRevoke(ctx, time.Millisecond)
	require.NoError(t, err)
	require.False(t, heard)
	told, released := a.GoAwaitRevoke(soon), a.GoRelease()
	waiting := b.GoAcquire()
	z.length(t, lock, 2)
	require.NoError(t, z.b.Thread("t2").Revoke(ctx, lock+"/"+z.line(t, lock)[0]))
	heard, err = told.Get(ctx)
	require.NoError(t, err)
	require.True(t, heard)
	require.NoError(t, released.Err(ctx))
	require.NoError(t, waiting.Err(ctx))
	require.NoError(t, b.Release(ctx))
}

func (z *keeper) sellers(t *testing.T) {
	const pieces, rounds = 30, 10
	ctx := patience(t)
	acl := zk.WorldACL(zk.PermAll)
	for key, value := range map[string]int{"/stock": pieces, "/sold": 0} {
		_, err := z.raw.Create(key, []byte(strconv.Itoa(value)), 0, acl)
		require.NoError(t, err)
	}
	var calls []*Call[Work]
	for _, p := range []*Peer{z.a, z.b} {
		for _, thread := range []string{"t1", "t2"} {
			calls = append(calls, p.Thread(thread).Mutex("/shop").GoInventory("/stock", "/sold",
				Rounds{N: rounds, Think: time.Millisecond}))
		}
	}
	var sold int
	for _, call := range calls {
		work, err := call.Get(ctx)
		require.NoError(t, err)
		require.Equal(t, rounds, work.Entered)
		sold += work.Sold
	}
	require.Equal(t, pieces, sold, "40 rounds for 30 pieces")
	for key, want := range map[string]string{"/stock": "0", "/sold": strconv.Itoa(pieces)} {
		value, _, err := z.raw.Get(key)
		require.NoError(t, err)
		require.Equal(t, want, string(value), key)
	}
}

func TestCuratorPeerWithoutItsServerSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := Curator{Addrs: []string{"127.0.0.1:1"}, Connection: time.Second}.Start(t.Context())
	require.ErrorIs(t, err, &JavaError{Class: "IOException"})
}
