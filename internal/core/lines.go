package core

import (
	"sync"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
)

// Lines are the local lines of a client, each there while somebody uses it.
type Lines struct {
	mu    sync.Mutex
	lines map[grant.ID]*lineUse
}

type lineUse struct {
	line  claim.Line
	users int
}

// Line is the line of id, for one user of it; give it back with LeaveLine.
func (s *Lines) Line(id grant.ID) *claim.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.lines[id]
	if u == nil {
		u = &lineUse{}
		if s.lines == nil {
			s.lines = make(map[grant.ID]*lineUse)
		}
		s.lines[id] = u
	}
	u.users++
	return &u.line
}

// LeaveLine ends one use of the line of id.
func (s *Lines) LeaveLine(id grant.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.lines[id]
	if u.users--; u.users == 0 {
		delete(s.lines, id)
	}
}
