package gozk

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/zkcore"
)

// session is one session on one driver connection.
type session struct {
	set     *settings.ZooKeeper
	link    *link
	conn    *zk.Conn
	made    chan struct{} // conn is set
	opened  chan struct{}
	onState func(bool)
	id      atomic.Int64
	granted atomic.Int64 // time-out
	slots   chan struct{}
	creates pathLocks

	mu      sync.Mutex
	watches map[string][]*watch
}

type watch struct{ fire func(zkcore.Event) }

// mostAtOnce bounds the requests of one session that are under way, those whose
// callers have gone among them.
const mostAtOnce = 1024

func newSession(set *settings.ZooKeeper, timeout time.Duration, onState func(bool)) *session {
	return &session{
		set: set, link: newLink(set, timeout), onState: onState,
		made: make(chan struct{}), opened: make(chan struct{}),
		slots: make(chan struct{}, mostAtOnce), watches: make(map[string][]*watch),
	}
}

func (s *session) ID() int64 { return s.id.Load() }

func (s *session) Timeout() time.Duration { return time.Duration(s.granted.Load()) }

func (s *session) Done() <-chan struct{} { return s.link.gone }

// event is the driver's callback: it must neither block nor call the driver.
func (s *session) event(e zk.Event) {
	switch {
	case e.Type == zk.EventNodeDeleted:
		s.fire(e.Path, zkcore.Deleted)
	case e.Type == zk.EventNodeDataChanged:
		s.fire(e.Path, zkcore.Changed)
	case e.Type != zk.EventSession:
	case e.State == zk.StateHasSession:
		if s.ID() == 0 {
			s.begin()
		}
		s.onState(true)
	case e.State == zk.StateDisconnected:
		if s.ID() != 0 {
			s.onState(false)
		}
	case e.State == zk.StateExpired:
		// The driver goes on to open a new session, right behind this call: the
		// gate must be shut when it returns.
		s.end()
	}
}

// begin is the first time that the server has accepted the session.
func (s *session) begin() {
	<-s.made
	s.granted.Store(int64(s.link.timeoutGranted()))
	s.id.Store(s.conn.SessionID())
	close(s.opened)
}

// end is the end of the session, whoever decided it.
func (s *session) end() {
	if !s.link.end() {
		return
	}
	s.mu.Lock()
	left := s.watches
	s.watches = nil
	s.mu.Unlock()
	for _, list := range left {
		for _, w := range list {
			w.fire(zkcore.SessionOver)
		}
	}
	go func() {
		<-s.made
		s.conn.Close() // ends the driver's goroutines, and what waits in it
	}()
}

// Reconnect is zkcore.Session.
func (s *session) Reconnect() { s.link.drop() }

// Close is zkcore.Session.
func (s *session) Close(graceful bool) error {
	if graceful && !s.link.over() {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.conn.Close()
		}()
		t := time.NewTimer(time.Second)
		defer t.Stop()
		select {
		case <-closed:
		case <-s.link.gone:
		case <-t.C:
		}
	}
	s.end()
	return nil
}

// watching registers for the next event of a node; false when the session is
// over.
func (s *session) watching(path string, w *watch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watches == nil {
		return false
	}
	s.watches[path] = append(s.watches[path], w)
	return true
}

func (s *session) notWatching(path string, w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.watches[path]
	for i, other := range list {
		if other == w {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) > 0 {
		s.watches[path] = list
	} else if s.watches != nil {
		delete(s.watches, path)
	}
}

func (s *session) fire(path string, e zkcore.Event) {
	s.mu.Lock()
	list := s.watches[path]
	delete(s.watches, path)
	s.mu.Unlock()
	for _, w := range list {
		w.fire(e)
	}
}

// pathLocks let one create of a path go at a time, so that an answer's zxid is
// told to the right one.
type pathLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{}
}

// lock waits for its turn; false when stop ends first.
func (p *pathLocks) lock(path string, stop <-chan struct{}) bool {
	for {
		p.mu.Lock()
		busy := p.held[path]
		if busy == nil {
			if p.held == nil {
				p.held = make(map[string]chan struct{})
			}
			p.held[path] = make(chan struct{})
			p.mu.Unlock()
			return true
		}
		p.mu.Unlock()
		select {
		case <-busy:
		case <-stop:
			return false
		}
	}
}

func (p *pathLocks) unlock(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.held[path])
	delete(p.held, path)
}
