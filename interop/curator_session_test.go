package interop_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

func (l *line) javaSessionEnds(t *testing.T) {
	ctx, path := soon(t), "/ended in Java"
	m, j := l.mutex(path), l.thread("t1", path)
	require.NoError(t, j.Acquire(ctx))
	in := make(chan *recipes.Hold, 1)
	go func() {
		h, err := m.Lock(ctx)
		if err != nil {
			t.Error(err)
		}
		in <- h
	}()
	nodes := l.stand(t, path, 2)
	ended := time.Now()
	l.expire(t, l.owner(t, path, nodes[0]))
	h := <-in
	require.Less(t, time.Since(ended), time.Second)
	require.Equal(t, nodes[1], h.Owner())

	// Its thread still believes in its lock, and gives it back for nothing.
	held, err := j.Acquired(ctx)
	require.NoError(t, err)
	require.True(t, held)
	require.NoError(t, j.Release(ctx))
	require.Equal(t, nodes[1:], l.nodes(t, path))
	call := j.GoAcquire()
	l.stand(t, path, 2)
	outside(t, call)
	require.NoError(t, h.Err())
	require.NoError(t, h.Release(ctx))
	require.NoError(t, call.Err(ctx))
	require.NoError(t, j.Release(ctx))
}

func (l *line) goSessionEnds(t *testing.T) {
	ctx, path := soon(t), "/ended in Go"
	m, j := l.mutex(path), l.thread("t1", path)
	h := hold(t, m)
	inner, err := m.Lock(h.Context(ctx))
	require.NoError(t, err)
	work := inner.Context(ctx)
	call := j.GoAcquire()
	nodes := l.stand(t, path, 2)
	require.Equal(t, h.Owner(), nodes[0])
	ended := time.Now()
	l.expire(t, l.owner(t, path, nodes[0]))
	lost(t, h, slack, recipes.ReasonSessionExpired)
	t.Logf("told after %v", time.Since(ended))
	lost(t, inner, slack, recipes.ReasonSessionExpired)
	<-work.Done()
	require.NoError(t, call.Err(ctx))
	require.Less(t, call.Times().Ended.Sub(ended), time.Second)
	require.ErrorIs(t, h.Release(ctx), recipes.ErrLost)
	require.Equal(t, nodes[1:], l.nodes(t, path))

	in := waiting(t, m) // in the next session
	again := l.stand(t, path, 2)
	require.NotEqual(t, l.owner(t, path, again[0]), l.owner(t, path, again[1]))
	require.NoError(t, j.Release(ctx))
	entered(t, in)
}

// A waiter whose session ends stands in line again by itself, at the end.
func (l *line) waitersSessionsEnd(t *testing.T) {
	ctx, path := soon(t), "/ended in line"
	holder := l.client(t)
	held := hold(t, mutexOn(holder, path))
	in := waiting(t, l.mutex(path))
	l.stand(t, path, 2)
	j := l.thread("t1", path)
	call := j.GoAcquire()
	nodes := l.stand(t, path, 3)
	l.expire(t, l.owner(t, path, nodes[1]))
	again := l.moved(t, path, nodes[1])
	require.Equal(t, []string{nodes[0], nodes[2]}, again[:2], "Go stands behind Java now")
	outside(t, call)

	l.expire(t, l.owner(t, path, nodes[2]))
	last := l.moved(t, path, nodes[2])
	require.Equal(t, []string{nodes[0], again[2]}, last[:2], "and Java behind Go")
	require.Empty(t, in)
	require.NoError(t, held.Release(ctx))
	e := entered(t, in)
	require.NoError(t, call.Err(ctx))
	require.False(t, call.Times().Ended.Before(e.at.Round(0)))
	require.NoError(t, j.Release(ctx))
}

// moved waits until a node of three is gone, and another stands in its stead.
func (l *line) moved(t *testing.T, path, node string) (nodes []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		nodes = l.nodes(t, path)
		return len(nodes) == 3 && !slices.Contains(nodes, node)
	}, patience, 5*time.Millisecond)
	return nodes
}

// The server is away for a part of the sessions only.
func TestHoldsAndPlacesOfBothLanguagesOutliveARestart(t *testing.T) {
	t.Parallel()
	inLine(t, calm, func(t *testing.T, l *line) {
		ctx, path := soon(t), "/restarted"
		ofJava := l.thread("t1", "/restarted in Java")
		require.NoError(t, ofJava.Acquire(ctx))
		h := hold(t, l.mutex(path))
		work := h.Context(ctx)
		first, second := l.thread("t1", path), l.thread("t2", path)
		call, gone := first.GoAcquire(), first.GoRelease()
		l.stand(t, path, 2)
		in := waiting(t, mutexOn(l.client(t), path))
		l.stand(t, path, 3)
		last := second.GoAcquire()
		standing := l.stand(t, path, 4)

		require.NoError(t, l.server.Restart(ctx))
		require.Equal(t, standing, l.stand(t, path, 4))
		require.Empty(t, in)
		outside(t, call)
		require.NoError(t, h.Err())
		require.NoError(t, context.Cause(work))
		l.refused(t, "/restarted in Java")

		require.NoError(t, h.Release(ctx))
		require.NoError(t, gone.Err(ctx))
		e := entered(t, in)
		require.False(t, e.at.Round(0).Before(call.Times().Ended))
		require.NoError(t, last.Err(ctx))
		require.False(t, last.Times().Ended.Before(e.at.Round(0)))
		require.NoError(t, second.Release(ctx))
		require.NoError(t, ofJava.Release(ctx))
	})
}
