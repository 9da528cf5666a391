package peer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (z *keeper) readers(t *testing.T) {
	ctx, lock := patience(t), "/rw"
	p := z.a
	t1, t2 := p.Thread("t1"), p.Thread("t2")
	require.NoError(t, t1.ReadLock(lock).Acquire(ctx))
	require.NoError(t, t2.ReadLock(lock).Acquire(ctx))
	got, err := p.Thread("t3").WriteLock(lock).TryAcquire(ctx, NoWait)
	require.NoError(t, err)
	require.False(t, got)
	require.NoError(t, t1.ReadLock(lock).Release(ctx))
	require.NoError(t, t2.ReadLock(lock).Release(ctx))
	require.NoError(t, t1.WriteLock(lock).Acquire(ctx))
	require.NoError(t, t1.ReadLock(lock).Acquire(ctx), "the writer may read")
	got, err = t2.ReadLock(lock).TryAcquire(ctx, NoWait)
	require.NoError(t, err)
	require.False(t, got)
	require.NoError(t, t1.WriteLock(lock).Release(ctx))
	require.NoError(t, t1.ReadLock(lock).Release(ctx))
	require.Empty(t, z.line(t, lock))
}

func (z *keeper) semaphore(t *testing.T) {
	ctx, path := patience(t), "/sem"
	a := z.a.Thread("t1").Semaphore(path, 2)
	b := z.b.Thread("t1").Semaphore(path, 2)
	two, err := a.Acquire(ctx, 2, NoWait)
	require.NoError(t, err)
	require.Len(t, two, 2)
	none, err := b.Acquire(ctx, 1, 50*time.Millisecond)
	require.NoError(t, err)
	require.Nil(t, none)
	waiting := b.GoAcquire(1, NoWait)
	z.length(t, path+"/leases", 3)
	require.NoError(t, a.Release(ctx, two[0]))
	one, err := waiting.Get(ctx)
	require.NoError(t, err)
	listed, err := a.Participants(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{two[1], one[0]}, listed)
	require.NoError(t, a.Release(ctx, two[1]))
	require.NoError(t, b.Release(ctx, one[0]))
}

func (z *keeper) others(t *testing.T) {
	ctx := patience(t)
	a, b := z.a.Thread("t1"), z.b.Thread("t1")
	for _, kind := range []func(Thread) Mutex{
		func(t Thread) Mutex { return t.SemaphoreMutex("/one") },
		func(t Thread) Mutex { return t.MultiLock("/several/a", "/several/b") },
	} {
		mine, theirs := kind(a), kind(b)
		require.NoError(t, mine.Acquire(ctx))
		got, err := theirs.TryAcquire(ctx, NoWait)
		require.NoError(t, err)
		require.False(t, got)
		require.NoError(t, mine.Release(ctx))
		require.NoError(t, theirs.Acquire(ctx))
		require.NoError(t, theirs.Release(ctx))
		_, err = mine.Participants(ctx)
		require.ErrorIs(t, err, ErrNoRecipe)
	}
	require.Empty(t, z.line(t, "/several/b"))
}
