package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/claim"
)

// waiter is a place with its wake channel.
type waiter struct {
	*claim.Place
	wake chan struct{}
}

func join(l *claim.Line, kind any) waiter {
	wake := make(chan struct{}, 1)
	return waiter{l.Join(kind, wake), wake}
}

func (w waiter) woken() bool {
	select {
	case <-w.wake:
		return true
	default:
		return false
	}
}

func (w waiter) asks() bool {
	ask, _, _ := w.Turn()
	return ask
}

// grantOne lets one hold by way of the store.
func grantOne(l *claim.Line) {
	w := join(l, nil)
	w.asks()
	w.Granted()
}

func TestOnlyTheFirstOfALineAsks(t *testing.T) {
	var l claim.Line
	require.True(t, l.Idle())
	one, two := join(&l, nil), join(&l, nil)
	require.False(t, l.Idle())

	ask, front, _ := two.Turn()
	require.False(t, ask)
	require.False(t, front)
	ask, front, _ = one.Turn()
	require.True(t, ask)
	require.True(t, front)
	one.Refused()
	require.True(t, one.asks(), "one that was refused stays first")

	one.Granted()
	require.False(t, two.asks(), "the lock is held here")
	_, front, after := two.Turn()
	require.True(t, front)
	require.Positive(t, after, "a wait has a timer")
	l.Gone()
	require.True(t, two.woken())
	require.True(t, two.asks())
	two.Granted()
	l.Gone()
	require.True(t, l.Idle())
}

func TestOneThatLeavesWakesTheNext(t *testing.T) {
	var l claim.Line
	one, two, three := join(&l, nil), join(&l, nil), join(&l, nil)
	require.False(t, two.Leave())
	require.False(t, three.woken(), "it is not its turn")
	require.True(t, one.asks())
	require.False(t, one.Leave(), "nothing was handed over")
	require.True(t, three.woken())
	require.True(t, three.asks())
	require.False(t, one.asks(), "one that has left does not ask")
	three.Leave()
	require.True(t, l.Idle())
}

func TestAHoldOfATryCountsInTheLine(t *testing.T) {
	var l claim.Line
	one := join(&l, nil)
	l.Hold()
	require.False(t, one.asks())
	l.Gone()
	require.True(t, one.woken())
	require.True(t, one.asks())
}

func TestALineWithoutAStoreGrantsInOrder(t *testing.T) {
	var l claim.Line
	one, two := join(&l, nil), join(&l, nil)
	require.False(t, two.Take())
	require.True(t, one.Take())
	require.False(t, one.Take(), "once")
	require.False(t, two.Take())
	require.False(t, l.TryTake(nil))
	l.Gone()
	require.True(t, two.woken())
	require.True(t, two.Take())
	l.Gone()
	require.True(t, l.TryTake(nil))
}

func TestThoseThatGoTogetherAskTogether(t *testing.T) {
	var l claim.Line
	l.Together = func(next any) bool { return next == "reader" }
	one, two, writer := join(&l, "reader"), join(&l, "reader"), join(&l, "writer")
	require.True(t, one.asks())
	one.Granted()
	require.True(t, two.woken(), "the next may ask right away")
	require.True(t, two.asks())
	two.Granted()
	require.False(t, writer.woken())
	require.False(t, writer.asks())
	l.Gone()
	require.False(t, writer.woken())
	l.Gone()
	require.True(t, writer.woken())
	require.True(t, writer.asks())
	require.Equal(t, "writer", writer.Kind())
}
