package interop_test

import "testing"

// What a line of both languages has to be, in the order of a reader's questions.
// These tests share a ZooKeeper and a Java service: each has a path of its own.
func TestGoAndCuratorStandInOneLine(t *testing.T) {
	inLine(t, calm, func(t *testing.T, l *line) {
		each(t, l, []trial{
			{"a release wakes the other language", (*line).wakes},
			{"all are granted in the order of their nodes", (*line).ordered},
			{"re-entry of one keeps the other out", (*line).reentry},
			{"waiters that give up leave nothing", (*line).givenUp},
			{"each sees the other", (*line).seenByBoth},
			{"namespaces are the same", (*line).namespaces},
			{"an inventory is never oversold", (*line).inventory},
		})
	})
}

func TestHoldsOfEachLanguageCanBeAskedForByTheOther(t *testing.T) {
	inLine(t, calm, func(t *testing.T, l *line) {
		each(t, l, []trial{
			{"Curator's Revoker reaches a Go holder", (*line).goRevoked},
			{"and one that was still waiting, once it holds", (*line).goRevokedInLine},
			{"Go's request reaches a Curator holder", (*line).javaRevoked},
			{"a forced release in Go ends a hold of Curator", (*line).forcedInGo},
		})
	})
}

func TestEndedSessionsInCuratorsLine(t *testing.T) {
	t.Parallel()
	inLine(t, calm, func(t *testing.T, l *line) {
		each(t, l, []trial{
			{"that of a Java holder lets Go in", (*line).javaSessionEnds},
			{"a Go holder is told, and Java let in", (*line).goSessionEnds},
			{"waiters go to the end of the line", (*line).waitersSessionsEnd},
		})
	})
}

// Each of these waits for a session to end, so they wait side by side.
func TestDeadAndPausedServicesInCuratorsLine(t *testing.T) {
	t.Parallel()
	inLine(t, short, func(t *testing.T, l *line) {
		t.Run("group", func(t *testing.T) {
			for _, c := range []trial{
				{"a killed Java holder keeps Go out for its session", (*line).javaKilled},
				{"a killed Go holder keeps Java out for its session", (*line).goKilled},
				{"a paused Java holder takes nothing from Go when it wakes", (*line).javaPaused},
				{"a paused Go holder is told when it wakes inside Java's turn", (*line).goPaused},
				{"paused waiters lose their places only", (*line).waitersPaused},
			} {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(l, t)
				})
			}
		})
	})
}

// trial is one thing to be seen of a line.
type trial struct {
	name string
	run  func(l *line, t *testing.T)
}

func each(t *testing.T, l *line, trials []trial) {
	for _, c := range trials {
		t.Run(c.name, func(t *testing.T) { c.run(l, t) })
	}
}
