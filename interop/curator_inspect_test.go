package interop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

func mutexOn(c *zkcore.Client, path string) *mutex.Mutex { return mutex.NewZooKeeper(c, path) }

func (l *line) seenByBoth(t *testing.T) {
	ctx, path := soon(t), "/seen/by/both"
	m, j := l.mutex(path), l.thread("t1", path)
	h := hold(t, m)
	call := j.GoAcquire()
	l.stand(t, path, 2)
	in := waiting(t, m)
	nodes := l.stand(t, path, 3)
	require.Equal(t, h.Owner(), nodes[0])
	for _, node := range nodes {
		require.Regexp(t, `^_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-lock-\d{10}$`, node)
	}
	seen, err := l.thread("t2", path).Participants(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{path + "/" + nodes[0], path + "/" + nodes[1], path + "/" + nodes[2]}, seen)
	l.inspected(t, m, nodes)

	require.NoError(t, h.Release(ctx))
	require.NoError(t, call.Err(ctx))
	s := l.inspected(t, m, nodes[1:])
	require.WithinDuration(t, time.Now(), s.Holders[0].Since, patience)
	require.NoError(t, j.Release(ctx))
	entered(t, in)
}

// inspected says that Go sees the line as it stands.
func (l *line) inspected(t *testing.T, m *mutex.Mutex, nodes []string) recipes.Status {
	t.Helper()
	s, err := m.Inspect(soon(t))
	require.NoError(t, err)
	require.True(t, s.QueueStored)
	require.Len(t, s.Holders, 1)
	require.Equal(t, nodes[0], s.Holders[0].ID)
	require.True(t, s.Holders[0].HasFence)
	var behind []string
	for _, w := range s.Waiters {
		behind = append(behind, w.ID)
	}
	require.Equal(t, nodes[1:], behind)
	return s
}

func (l *line) forcedInGo(t *testing.T) {
	ctx, path := soon(t), "/forced"
	m, j, next := l.mutex(path), l.thread("t1", path), l.thread("t2", path)
	require.NoError(t, j.Acquire(ctx))
	call := next.GoAcquire()
	nodes := l.stand(t, path, 2)
	s, err := m.Inspect(ctx)
	require.NoError(t, err)
	require.Equal(t, nodes[0], s.Holders[0].ID)
	freed := time.Now()
	require.NoError(t, m.ForceRelease(ctx, s.Holders[0]))
	require.NoError(t, call.Err(ctx))
	require.Less(t, time.Since(freed), time.Second)

	// The holder that was named is gone, and its successor is not meant.
	require.ErrorIs(t, m.ForceRelease(ctx, s.Holders[0]), recipes.ErrNotHeld)
	require.NoError(t, j.Release(ctx), "Curator does not say that the lock was lost")
	require.Equal(t, nodes[1:], l.nodes(t, path))
	l.refused(t, path)
	require.NoError(t, next.Release(ctx))
}

func (l *line) namespaces(t *testing.T) {
	ctx, path := soon(t), "/locks/a"
	settings := l.settings("spaced")
	settings.Namespace = "app"
	j := settings.Run(t).Thread("t1").Mutex(path)
	m := mutexOn(l.client(t, zkcore.WithNamespace("/app")), path)
	h := hold(t, m)
	call := j.GoAcquire()
	nodes := l.stand(t, "/app"+path, 2)
	require.Equal(t, h.Owner(), nodes[0])
	outside(t, call)
	l.inspected(t, m, nodes)
	require.NoError(t, h.Release(ctx))
	require.NoError(t, call.Err(ctx))
	_, err := m.TryLock(ctx)
	require.ErrorIs(t, err, recipes.ErrNotAcquired)
	require.NoError(t, j.Release(ctx))
}
