package peer

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/stores"
)

const (
	watchdog = 3 * time.Second
	soon     = 20 * time.Second // for anything that takes milliseconds on an idle machine
)

// eachVersion runs a test against a server of its own for each Redisson.
func eachVersion(t *testing.T, test func(t *testing.T, server *stores.Server, version string)) {
	for _, version := range RedissonVersions() {
		t.Run(version, func(t *testing.T) { test(t, stores.Single(t), version) })
	}
}

func run(t *testing.T, server *stores.Server, version, name string) *Peer {
	return Redisson{Version: version, Name: name, Addrs: []string{server.Addr()}, Watchdog: watchdog}.Run(t)
}

func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

func TestKilledPeerFailsItsCallsAndReleasesNothing(t *testing.T) {
	eachVersion(t, func(t *testing.T, server *stores.Server, version string) {
		ctx := patience(t)
		rdb := server.Client(t)
		a, b := run(t, server, version, "A"), run(t, server, version, "B")
		require.NoError(t, a.Thread("t1").Lock("orders").Lock(ctx, Watchdog))
		owner, err := a.Thread("t1").Owner(ctx)
		require.NoError(t, err)
		pending := a.Thread("t2").Lock("orders").GoLock(Watchdog)
		waiting := b.Thread("t1").Lock("orders").GoLock(Watchdog)

		a.Kill()
		require.ErrorIs(t, pending.Err(ctx), ErrEnded)
		require.ErrorIs(t, a.Ping(ctx), ErrEnded)
		held, err := rdb.HGetAll(ctx, "orders").Result()
		require.NoError(t, err)
		require.Equal(t, map[string]string{owner: "1"}, held)

		require.NoError(t, waiting.Err(ctx), "the lease of the dead must end")
		require.NoError(t, a.Close(), "a peer that was killed on purpose closes without complaint")
	})
}

func TestPausedPeerLosesItsLockAndLearnsItLater(t *testing.T) {
	server := stores.Single(t)
	ctx := patience(t)
	a, b := run(t, server, DefaultRedisson, "A"), run(t, server, DefaultRedisson, "B")
	lock := a.Thread("t1").Lock("orders")
	require.NoError(t, lock.Lock(ctx, Watchdog))

	require.NoError(t, a.Pause())
	require.NoError(t, b.Thread("t1").Lock("orders").Lock(ctx, Watchdog))
	unlock := lock.GoUnlock()
	require.NoError(t, a.Resume())
	require.ErrorIs(t, unlock.Err(ctx), ErrNotOwner)
}

func TestCallEndsWithItsContextAndTheThreadWithAnInterrupt(t *testing.T) {
	server := stores.Single(t)
	ctx := patience(t)
	p := run(t, server, DefaultRedisson, "A")
	t1, t2 := p.Thread("t1"), p.Thread("t2")
	require.NoError(t, t1.Lock("orders").Lock(ctx, Watchdog))

	waiting := t2.Lock("orders").GoLockInterruptibly(Watchdog)
	short, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, waiting.Err(short), context.Canceled)
	select {
	case <-waiting.Done():
		t.Fatal("the Java call ended with the test's context")
	default:
	}

	// Sent before the call has begun to run, an interrupt has nothing to meet.
	require.Eventually(t, func() bool {
		require.NoError(t, t2.Interrupt(ctx))
		select {
		case <-waiting.Done():
			return true
		default:
			return false
		}
	}, soon, 20*time.Millisecond)
	require.ErrorIs(t, waiting.Err(ctx), ErrInterrupted)
	require.NoError(t, t2.peer.Ping(ctx))
	_, err := t2.Lock("orders").IsLocked(ctx)
	require.NoError(t, err, "the thread must go on after an interrupt")
}

func TestCallsOfOneThreadRunInOrderAndThreadsSideBySide(t *testing.T) {
	server := stores.Single(t)
	ctx := patience(t)
	p := run(t, server, DefaultRedisson, "A")
	t1, t2 := p.Thread("t1").Lock("orders"), p.Thread("t2").Lock("orders")

	first, second := t1.GoLock(Watchdog), t1.GoLock(Watchdog)
	require.NoError(t, second.Err(ctx))
	require.False(t, second.Times().Began.Before(first.Times().Ended))
	refused := t2.GoTryLock(time.Second, Watchdog)
	depth, err := t1.HoldCount(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, depth)
	got, err := refused.Get(ctx)
	require.NoError(t, err)
	require.False(t, got)
	require.GreaterOrEqual(t, refused.Times().Elapsed, time.Second)
}

func TestPeerWithoutItsServerSaysWhy(t *testing.T) {
	server := stores.Single(t)
	require.NoError(t, server.Stop())
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	_, err := Redisson{Addrs: []string{server.Addr()}}.Start(ctx)
	require.ErrorIs(t, err, &JavaError{Class: "RedisConnectionException"})
}

func TestPeerThatEndedByItselfIsReported(t *testing.T) {
	server := stores.Single(t)
	p, err := Redisson{Addrs: []string{server.Addr()}}.Start(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.in.Close())
	<-p.Done()
	require.ErrorIs(t, p.Close(), ErrEnded)
}

func TestEndedPeersLeaveNoGoroutine(t *testing.T) {
	server := stores.Single(t)
	ctx := patience(t)
	a, b := run(t, server, DefaultRedisson, "A"), run(t, server, DefaultRedisson, "B")
	require.NoError(t, a.Ping(ctx))
	require.Positive(t, ours(), "the check must see the goroutines it looks for")
	require.NoError(t, a.Close())
	b.Kill()
	require.Eventually(t, func() bool { return ours() == 0 }, soon, 10*time.Millisecond)
}

// ours counts the goroutines that attend a peer or copy its output.
func ours() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "peer.(*Peer).attend(") + strings.Count(string(stacks), "os/exec.(*Cmd).writerDescriptor")
}
