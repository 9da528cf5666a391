package interop_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/rwlock"
)

func TestReadersAndWritersOfBothLanguagesStandInOneLine(t *testing.T) {
	t.Parallel()
	inLine(t, calm, func(t *testing.T, l *line) {
		for _, c := range []struct {
			name string
			run  func(*testing.T)
		}{
			{"readers share, writers exclude, in the order they came", l.sides},
			{"a Go writer that reads on keeps a Java writer out", l.goReadsOn},
			{"a Java writer that reads on keeps a Go writer out", l.javaReadsOn},
			{"Inspect tells the sides of both", l.sidesShown},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	})
}

func (l *line) rw(path string) *rwlock.RWLock { return rwlock.NewZooKeeper(l.goes, path) }

func (l *line) readSide(thread, path string) peer.Mutex {
	return l.java.Thread(path + " " + thread).ReadLock(path)
}

func (l *line) writeSide(thread, path string) peer.Mutex {
	return l.java.Thread(path + " " + thread).WriteLock(path)
}

// Java reads, Go reads; then wait a Java writer, a Go reader, a Go writer, a Java
// reader.
func (l *line) sides(t *testing.T) {
	ctx, path := soon(t), "/sides"
	g := l.rw(path)
	r0 := l.readSide("r0", path)
	require.NoError(t, r0.Acquire(ctx))
	r1 := hold(t, g.Reader())
	w2 := l.writeSide("w2", path)
	w2in := w2.GoAcquire()
	l.stand(t, path, 3)
	r3 := waiting(t, g.Reader())
	l.stand(t, path, 4)
	w4 := waiting(t, g)
	l.stand(t, path, 5)
	r5 := l.readSide("r5", path)
	r5in := r5.GoAcquire()
	l.stand(t, path, 6)

	require.NoError(t, r0.Release(ctx))
	outside(t, w2in)
	require.Empty(t, r3, "a waiting writer of Java holds back readers of Go")
	require.NoError(t, r1.Release(ctx))
	require.NoError(t, w2in.Err(ctx))
	require.Empty(t, r3)
	require.NoError(t, w2.Release(ctx))
	read := entered(t, r3)
	wrote := entered(t, w4)
	require.False(t, wrote.at.Before(read.at))
	require.Greater(t, wrote.fence, read.fence)
	require.NoError(t, r5in.Err(ctx))
	require.NoError(t, r5.Release(ctx))
	require.Empty(t, l.stand(t, path, 0))
}

func (l *line) goReadsOn(t *testing.T) {
	ctx, path := soon(t), "/go/reads/on"
	g := l.rw(path)
	w := hold(t, g)
	j, jr := l.writeSide("w", path), l.readSide("r", path)
	in := j.GoAcquire()
	l.stand(t, path, 2)
	rin := jr.GoAcquire()
	l.stand(t, path, 3)
	r, err := g.RLock(w.Context(ctx))
	require.NoError(t, err)
	l.stand(t, path, 4)
	require.NoError(t, w.Release(ctx))
	l.stand(t, path, 3)
	<-time.After(tick)
	outside(t, in)
	outside(t, rin)
	require.NoError(t, r.Err())
	require.NoError(t, r.Release(ctx))
	require.NoError(t, in.Err(ctx))
	outside(t, rin)
	require.NoError(t, j.Release(ctx))
	require.NoError(t, rin.Err(ctx))
	require.NoError(t, jr.Release(ctx))
}

// Before 5.5.0 a Java writer that reads on goes to the end of the line: a defect
// that nobody can mend from outside.
func (l *line) javaReadsOn(t *testing.T) {
	if keepsPlace := l.since(5, 5); !keepsPlace {
		t.Log("this Curator does not keep the place of a writer that reads on")
		return
	}
	ctx, path := soon(t), "/java/reads/on"
	w, r := l.writeSide("t", path), l.readSide("t", path)
	require.NoError(t, w.Acquire(ctx))
	in := waiting(t, l.rw(path))
	l.stand(t, path, 2)
	require.NoError(t, r.Acquire(ctx))
	l.stand(t, path, 3)
	require.NoError(t, w.Release(ctx))
	l.stand(t, path, 2)
	<-time.After(tick)
	require.Empty(t, in)
	require.NoError(t, r.Release(ctx))
	entered(t, in)
}

// since reports whether the version is that or newer.
func (l *line) since(major, minor int) bool {
	parts := strings.SplitN(l.version, ".", 3)
	a, _ := strconv.Atoi(parts[0])
	b, _ := strconv.Atoi(parts[1])
	return a > major || a == major && b >= minor
}

func (l *line) sidesShown(t *testing.T) {
	ctx, path := soon(t), "/shown"
	g := l.rw(path)
	j := l.readSide("r", path)
	require.NoError(t, j.Acquire(ctx))
	r := hold(t, g.Reader())
	w := l.writeSide("w", path)
	in := w.GoAcquire()
	l.stand(t, path, 3)
	st, err := g.Inspect(ctx)
	require.NoError(t, err)
	require.Len(t, st.Holders, 2)
	require.Len(t, st.Waiters, 1)
	require.Equal(t, "read", st.Holders[0].Kind)
	require.Equal(t, "write", st.Waiters[0].Kind)
	// A Java reader is taken out; it is not told.
	require.NoError(t, g.ForceRelease(ctx, st.Holders[0]))
	require.ErrorIs(t, g.ForceRelease(ctx, recipes.Holder{ID: st.Waiters[0].ID}), recipes.ErrNotHeld)
	outside(t, in)
	require.NoError(t, r.Release(ctx))
	require.NoError(t, in.Err(ctx))
	require.NoError(t, w.Release(ctx))
	require.NoError(t, j.Release(ctx), "Java takes a missing node for released")
}
