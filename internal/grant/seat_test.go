package grant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/recipes"
)

type seat struct {
	*grant.Seat
	wake chan struct{}
}

func sit(l *grant.Level) seat {
	wake := make(chan struct{}, 1)
	return seat{l.Seat(wake, false), wake}
}

func (s seat) mine(t *testing.T) bool {
	t.Helper()
	mine, err := s.Mine()
	require.NoError(t, err)
	return mine
}

func TestSeatsGetTheirTurnInOrderOneByOne(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	root := open(t, g, nil, grant.Options{})
	one, two, three := sit(root), sit(root), sit(root)
	require.True(t, one.mine(t))
	require.Len(t, one.wake, 1)
	require.False(t, two.mine(t))

	child := open(t, g, root, grant.Options{})
	one.Leave(true)
	require.False(t, two.mine(t), "the level is taken by the child")
	require.NoError(t, child.Release(t.Context(), time.Second))
	require.True(t, two.mine(t))
	require.Len(t, two.wake, 1)
	require.Empty(t, three.wake, "one at a time")
	two.Leave(false)
	require.True(t, three.mine(t), "one that leaves passes its turn on")
}

func TestSeatWaitsForTheWholeTree(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	root := open(t, g, nil, grant.Options{})
	first := sit(root)
	child := open(t, g, root, grant.Options{})
	first.Leave(true)
	below := sit(child)
	require.True(t, below.mine(t), "below the child nobody is in the way")
	grandchild := open(t, g, child, grant.Options{})
	below.Leave(true)

	next := sit(root)
	require.NoError(t, child.Release(t.Context(), time.Second))
	require.False(t, next.mine(t), "the grandchild is alive")
	require.NoError(t, grandchild.Release(t.Context(), time.Second))
	require.True(t, next.mine(t))
}

func TestOneThatLeavesOutOfTurnIsForgotten(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	root := open(t, g, nil, grant.Options{})
	one, two, three := sit(root), sit(root), sit(root)
	two.Leave(false)
	require.True(t, one.mine(t))
	require.False(t, three.mine(t))
	one.Leave(false)
	require.True(t, three.mine(t))
}

func TestSeatsOfAnEndedLevelAreToldWhy(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	root := open(t, g, nil, grant.Options{})
	child := open(t, g, root, grant.Options{})
	s := sit(child)
	<-s.wake
	require.NoError(t, child.Release(t.Context(), time.Second))
	require.Len(t, s.wake, 1)
	_, err := s.Mine()
	released(t, err)

	s = sit(root)
	g.Lose(grant.Taken)
	_, err = s.Mine()
	lost(t, err, recipes.ReasonTaken)
	s.Leave(false)
}

func share(l *grant.Level) seat {
	wake := make(chan struct{}, 1)
	return seat{l.Seat(wake, true), wake}
}

func TestReadersBelowOneLevelGoTogetherUpToTheNextWriter(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	root := open(t, g, nil, grant.Options{})
	shared := grant.Options{Shared: true}
	one, two, writer, three := share(root), share(root), sit(root), share(root)
	require.True(t, one.mine(t))
	require.True(t, two.mine(t))
	require.False(t, writer.mine(t))
	require.False(t, three.mine(t), "it does not overtake the writer")
	a, b := open(t, g, root, shared), open(t, g, root, shared)
	one.Leave(true)
	two.Leave(true)
	require.Equal(t, grant.Count{Exclusive: 1, Shared: 2}, g.Alive())
	require.NoError(t, a.Release(t.Context(), time.Second))
	require.False(t, writer.mine(t))
	require.NoError(t, b.Release(t.Context(), time.Second))
	require.True(t, writer.mine(t))
	writer.Leave(false)
	require.True(t, three.mine(t))
}

func TestReaderThatWantsToWriteIsToldAtOnce(t *testing.T) {
	k := newKeeper(t)
	g, _ := k.grant(time.Hour)
	shared := grant.Options{Shared: true}
	reader := open(t, g, nil, shared)
	held := share(reader) // a sibling in the way changes nothing
	require.True(t, held.mine(t))
	_, err := sit(reader).Mine()
	require.ErrorIs(t, err, recipes.ErrWouldDeadlock)

	// A writer that has let go of its side is a reader.
	g, _ = k.grant(time.Hour)
	writer := open(t, g, nil, grant.Options{})
	below := open(t, g, writer, shared)
	inner := sit(below)
	require.True(t, inner.mine(t), "while it writes it may go deeper")
	inner.Leave(false)
	require.NoError(t, writer.Release(t.Context(), time.Second))
	_, err = sit(below).Mine()
	require.ErrorIs(t, err, recipes.ErrWouldDeadlock)
}
