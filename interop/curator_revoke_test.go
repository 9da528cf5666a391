package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
)

func (l *line) goRevoked(t *testing.T) {
	ctx, path := soon(t), "/revoked in Go"
	asked := make(chan *recipes.Hold, 8)
	m := l.mutex(path, mutex.OnRevoke(func(h *recipes.Hold) { asked <- h }))
	h := hold(t, m)
	j, revoker := l.thread("t1", path), l.java.Thread("revoker")
	call := j.GoAcquire()
	nodes := l.stand(t, path, 2)
	require.Empty(t, asked)
	require.NoError(t, revoker.Revoke(ctx, path+"/"+nodes[0]))
	got := heard(t, asked)
	require.Equal(t, h.Owner(), got.Owner())
	require.NoError(t, got.Err(), "a request takes nothing away")
	outside(t, call)
	require.NoError(t, revoker.Revoke(ctx, path+"/"+nodes[0]))
	heard(t, asked)
	require.NoError(t, h.Release(ctx))
	require.NoError(t, call.Err(ctx))
	require.NoError(t, j.Release(ctx))
}

// Curator's own listeners hear it in line already; a Hold is there when it is held.
func (l *line) goRevokedInLine(t *testing.T) {
	ctx, path := soon(t), "/revoked in line"
	asked := make(chan *recipes.Hold, 8)
	m := l.mutex(path, mutex.OnRevoke(func(h *recipes.Hold) { asked <- h }))
	j := l.thread("t1", path)
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
	require.NoError(t, l.java.Thread("revoker").Revoke(ctx, path+"/"+nodes[1]))
	require.NoError(t, j.Release(ctx))
	h := <-in
	require.Equal(t, h.Owner(), heard(t, asked).Owner())
	require.NoError(t, h.Release(ctx))
}

func heard(t *testing.T, asked <-chan *recipes.Hold) *recipes.Hold {
	t.Helper()
	select {
	case h := <-asked:
		return h
	case <-time.After(patience):
		require.Fail(t, "the request was not heard")
		return nil
	}
}

func (l *line) javaRevoked(t *testing.T) {
	ctx, path := soon(t), "/revoked in Java"
	m, obeys := l.mutex(path), l.thread("t1", path)
	require.NoError(t, obeys.MakeRevocable(ctx))
	require.NoError(t, obeys.Acquire(ctx))
	told, gone := obeys.GoAwaitRevoke(patience), obeys.GoRelease()
	in := waiting(t, m)
	nodes := l.stand(t, path, 2)
	require.Empty(t, in)
	askedFor(t, m, nodes[0])
	got, err := told.Get(ctx)
	require.NoError(t, err)
	require.True(t, got)
	require.NoError(t, gone.Err(ctx))
	entered(t, in)

	// One that does not listen keeps its lock, and its waiters their places:
	// what woke them was no release.
	require.NoError(t, obeys.Acquire(ctx))
	in = waiting(t, m)
	nodes = l.stand(t, path, 2)
	askedFor(t, m, nodes[0])
	l.refused(t, path)
	require.Equal(t, nodes, l.nodes(t, path))
	require.Empty(t, in)
	require.NoError(t, obeys.Release(ctx))
	entered(t, in)
}

// askedFor has Go ask the holder to let go.
func askedFor(t *testing.T, m *mutex.Mutex, holder string) {
	t.Helper()
	s, err := m.Inspect(soon(t))
	require.NoError(t, err)
	require.Equal(t, holder, s.Holders[0].ID)
	require.NoError(t, m.RequestRevoke(soon(t), s.Holders[0]))
}
