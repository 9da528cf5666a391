package recipes_test

import (
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/recipes"
)

// process is a process with its locks, whose clients are all the same.
type process struct{ locks sync.Map }

func (p *process) Locker(_ int, name string) recipes.Locker {
	l, _ := p.locks.LoadOrStore(name, recipes.NewLocal(name))
	return l.(*recipes.Local)
}

func (p *process) Waiting(string) int { panic("a bubble knows who waits") }

func TestLocalConforms(t *testing.T) {
	conformance.Run(t, conformance.Subject{
		Bubble: true, Fences: true, Ordered: true,
		New: func(*testing.T, time.Duration) conformance.Deployment { return &process{} },
	})
}
