package interop_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
)

func (l *line) wakes(t *testing.T) {
	const rounds = 15
	ctx, path := soon(t), "/woken"
	m, j := l.mutex(path), l.thread("t1", path)
	var toGo, toJava figures
	for range rounds {
		require.NoError(t, j.Acquire(ctx))
		in := waiting(t, m)
		l.stand(t, path, 2)
		require.Empty(t, in)
		freed := time.Now()
		require.NoError(t, j.Release(ctx))
		toGo = append(toGo, entered(t, in).at.Sub(freed))
		l.stand(t, path, 0)
	}
	for range rounds {
		h := hold(t, m)
		call := j.GoAcquire()
		l.stand(t, path, 2)
		outside(t, call)
		freed := time.Now()
		require.NoError(t, h.Release(ctx))
		require.NoError(t, call.Err(ctx))
		toJava = append(toJava, time.Since(freed))
		require.NoError(t, j.Release(ctx))
	}
	t.Logf("Java's release lets Go in: %v", toGo)
	t.Logf("Go's release lets Java in: %v", toJava)
	toGo.bySignal(t)
	toJava.bySignal(t)
}

// Java, Go, Java, Go and so on; and two claims of one Go client in a row, of
// which the first may pass the lock on to the second.
func (l *line) ordered(t *testing.T) {
	const order = "JGJGJGGJGGJJGJ"
	ctx, path := soon(t), "/one/line"
	first := hold(t, l.mutex(path))
	other := l.client(t)
	grants := make([]func() time.Time, len(order))
	var tokens []func() int64
	for i, who := range order {
		if who == 'J' {
			j := l.thread("t"+strconv.Itoa(i), path)
			call, gone := j.GoAcquire(), j.GoRelease()
			grants[i] = func() time.Time {
				require.NoError(t, call.Err(ctx))
				require.NoError(t, gone.Err(ctx))
				return call.Times().Ended
			}
		} else {
			m := l.mutex(path)
			if i > len(order)/2 {
				m = mutexOn(other, path)
			}
			in := waiting(t, m)
			var e entry
			grants[i] = func() time.Time { e = entered(t, in); return e.at }
			tokens = append(tokens, func() int64 { return e.fence })
		}
		l.stand(t, path, i+2)
	}
	standing := l.nodes(t, path)
	require.Equal(t, first.Owner(), standing[0])
	before := time.Now()
	require.NoError(t, first.Release(ctx))
	var got []time.Time
	for _, grant := range grants {
		got = append(got, grant().Round(0))
	}
	require.True(t, slices.IsSortedFunc(append([]time.Time{before.Round(0)}, got...), time.Time.Compare), "%v", got)
	fence, ok := first.Fence()
	require.True(t, ok)
	for _, token := range tokens {
		require.Greater(t, token(), fence)
		fence = token()
	}
	l.stand(t, path, 0)
}

func (l *line) reentry(t *testing.T) {
	ctx, path := soon(t), "/levels"
	m, j := l.mutex(path), l.thread("t1", path)
	require.NoError(t, j.Acquire(ctx))
	require.NoError(t, j.Acquire(ctx))
	in := waiting(t, m)
	both := l.stand(t, path, 2)
	require.NoError(t, j.Release(ctx))
	require.Equal(t, both, l.nodes(t, path), "an inner release asks the store for nothing")
	require.Empty(t, in)
	l.refused(t, path)
	require.NoError(t, j.Release(ctx))
	entered(t, in)
	require.ErrorIs(t, j.Release(ctx), peer.ErrNotOwner)

	h := hold(t, m)
	inner, err := m.Lock(h.Context(ctx))
	require.NoError(t, err)
	require.Equal(t, 2, inner.Count())
	call := j.GoAcquire()
	both = l.stand(t, path, 2)
	require.Equal(t, h.Owner(), both[0])
	require.NoError(t, h.Release(ctx), "levels may go in any order")
	require.Equal(t, both, l.nodes(t, path))
	outside(t, call)
	l.refused(t, path)
	require.NoError(t, inner.Release(ctx))
	require.NoError(t, call.Err(ctx))
	require.NoError(t, j.Release(ctx))
	l.stand(t, path, 0)
}

func (l *line) givenUp(t *testing.T) {
	const brief = time.Second / 2 // long enough for a busy server to answer
	ctx, path := soon(t), "/given up"
	m, j, other := l.mutex(path), l.thread("t1", path), l.thread("t2", path)

	require.NoError(t, j.Acquire(ctx))
	_, err := m.Lock(ctx, recipes.WithWait(brief))
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	l.stand(t, path, 1)
	l.refused(t, path)

	// One that gives up in the middle wakes the one behind it, who waits on.
	middle := other.GoTryAcquire(slack)
	l.stand(t, path, 2)
	in := waiting(t, m)
	l.stand(t, path, 3)
	got, err := middle.Get(ctx)
	require.NoError(t, err)
	require.False(t, got)
	l.stand(t, path, 2)
	require.Empty(t, in)
	require.NoError(t, j.Release(ctx))
	entered(t, in)

	h := hold(t, m)
	l.refused(t, path)
	got, err = other.TryAcquire(ctx, brief)
	require.NoError(t, err)
	require.False(t, got)
	call := other.GoAcquire()
	l.stand(t, path, 2)
	require.NoError(t, other.Interrupt(ctx))
	require.ErrorIs(t, call.Err(ctx), peer.ErrInterrupted)
	l.stand(t, path, 1)
	require.NoError(t, h.Release(ctx))
	l.stand(t, path, 0)
}
