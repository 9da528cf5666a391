package interop_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (l *line) javaKilled(t *testing.T) {
	path, dying := "/killed in Java", l.jvm(t, "dying")
	require.NoError(t, dying.Thread("t1").Mutex(path).Acquire(soon(t)))
	in := waiting(t, l.mutex(path))
	standing := l.stand(t, path, 2)
	dying.Kill()
	killed := time.Now()
	require.Equal(t, standing, l.nodes(t, path), "a process that is killed releases nothing")
	after := entered(t, in).at.Sub(killed)
	t.Logf("in %v after the kill, session %v", after, short)
	require.Greater(t, after, leastShort)
	require.Less(t, after, mostShort)
}

func (l *line) goKilled(t *testing.T) {
	ctx, path := soon(t), "/killed in Go"
	dying := l.service(t, path)
	j := l.thread("t1", path)
	call := j.GoAcquire()
	require.Equal(t, dying.owner, l.stand(t, path, 2)[0])
	dying.kill(t)
	killed := time.Now()
	require.NoError(t, call.Err(ctx))
	after := call.Times().Ended.Sub(killed)
	t.Logf("in %v after the kill, session %v", after, short)
	require.Greater(t, after, leastShort)
	require.Less(t, after, mostShort)
	require.NoError(t, j.Release(ctx))
}

func (l *line) javaPaused(t *testing.T) {
	ctx, path, paused := soon(t), "/paused in Java", l.jvm(t, "paused")
	j := paused.Thread("t1").Mutex(path)
	require.NoError(t, j.Acquire(ctx))
	require.NoError(t, paused.Pause())
	h := hold(t, l.mutex(path))
	again, acquired := j.GoRelease(), j.GoAcquire()
	require.NoError(t, paused.Resume())
	require.NoError(t, again.Err(ctx), "Curator does not say that the lock was lost")
	standing := l.stand(t, path, 2)
	require.Equal(t, h.Owner(), standing[0])
	require.NoError(t, h.Err())
	outside(t, acquired)
	require.NoError(t, h.Release(ctx))
	require.NoError(t, acquired.Err(ctx))
	require.NoError(t, j.Release(ctx))
}

func (l *line) goPaused(t *testing.T) {
	ctx, path := soon(t), "/paused in Go"
	paused := l.service(t, path)
	paused.signal(t, syscall.SIGSTOP)
	j := l.thread("t1", path)
	require.NoError(t, j.Acquire(ctx))
	standing := l.stand(t, path, 1)
	paused.signal(t, syscall.SIGCONT)
	require.Contains(t, paused.says(t, "lost"), "lost")
	require.Contains(t, paused.says(t, "released"), "lost")
	require.Equal(t, standing, l.nodes(t, path))
	require.NoError(t, j.Release(ctx))
}

// One that stops in the middle of the line holds the others up for its session,
// and then stands at the end.
func (l *line) waitersPaused(t *testing.T) {
	ctx, path, paused := soon(t), "/paused in line", l.jvm(t, "paused")
	held := hold(t, l.mutex(path))
	asleep := paused.Thread("t1").Mutex(path)
	late, gone := asleep.GoAcquire(), asleep.GoRelease()
	l.stand(t, path, 2)
	stopped := l.waiter(t, path)
	l.stand(t, path, 3)
	j := l.thread("t1", path)
	call := j.GoAcquire()
	l.stand(t, path, 4)
	require.NoError(t, paused.Pause())
	stopped.signal(t, syscall.SIGSTOP)
	l.stand(t, path, 2) // their sessions have ended
	require.NoError(t, held.Release(ctx))
	require.NoError(t, call.Err(ctx))
	require.NoError(t, paused.Resume())
	l.stand(t, path, 2)
	stopped.signal(t, syscall.SIGCONT)
	l.stand(t, path, 3)
	outside(t, late)
	require.NoError(t, j.Release(ctx))
	require.NoError(t, late.Err(ctx))
	require.NoError(t, gone.Err(ctx))
	stopped.says(t, "holds")
	stopped.kill(t)
}
