package zkx_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/recipes/mutex"
	"github.com/holdfast-go/holdfast/zkcore"
)

// timeout is of the sessions of these tests.
const timeout = 10 * time.Second

// fake is a server for tests in virtual time: a tree, sessions, watches, and
// what can go wrong between it and a client. What real servers do is tested on
// real servers.
type fake struct {
	mu       sync.Mutex
	zxid     int64
	sessions int64
	nodes    map[string]*fakeNode
	made     map[string]int // children ever made
	journal  []string
	mute     bool // requests get no answer, and are not carried out
	refuse   bool // no new session
	lose     func(op zkcore.Op) string
	stall    func(op zkcore.Op) bool // requests that get no answer for now
	current  *fakeSession
}

type fakeNode struct {
	zkcore.Stat
	data    []byte
	watches []fakeWatch
}

type fakeWatch struct {
	of   *fakeSession
	tell func(zkcore.Event)
}

type fakeSession struct {
	f       *fake
	id      int64
	done    chan struct{}
	once    sync.Once
	onState func(bool)
}

var errCut = errors.New("connection cut")

func newFake() *fake {
	return &fake{nodes: map[string]*fakeNode{}, made: map[string]int{}}
}

// client is a client of the fake, closed at the end of the test.
func (f *fake) client(t *testing.T, opts ...zkcore.Option) *zkcore.Client {
	t.Helper()
	c, err := zkcore.New(f, append([]zkcore.Option{zkcore.WithSessionTimeout(timeout)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c
}

func (f *fake) mutex(t *testing.T, opts ...zkcore.Option) *mutex.Mutex {
	t.Helper()
	return mutex.NewZooKeeper(f.client(t, opts...), "/locks/orders")
}

func (f *fake) Dial(ctx context.Context, _ time.Duration, onState func(bool)) (zkcore.Session, error) {
	for {
		f.mu.Lock()
		if !f.refuse && !f.mute {
			break
		}
		f.mu.Unlock()
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer f.mu.Unlock()
	f.sessions++
	f.current = &fakeSession{f: f, id: f.sessions, done: make(chan struct{}), onState: onState}
	return f.current, nil
}

func (s *fakeSession) ID() int64              { return s.id }
func (s *fakeSession) Timeout() time.Duration { return timeout }
func (s *fakeSession) Reconnect()             {}
func (s *fakeSession) Done() <-chan struct{}  { return s.done }

func (s *fakeSession) Close(graceful bool) error {
	s.once.Do(func() {
		close(s.done)
		if graceful {
			s.f.expire(s.id)
		}
	})
	return nil
}

// kill ends the session at the server.
func (s *fakeSession) kill() {
	s.once.Do(func() { close(s.done) })
	s.f.expire(s.id)
}

func (f *fake) expire(id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, n := range f.nodes {
		if n.Owner == id {
			f.remove(path)
		}
	}
}

func (s *fakeSession) Do(ctx context.Context, ops ...zkcore.Op) ([]zkcore.Result, error) {
	out := make([]zkcore.Result, len(ops))
	for i, op := range ops {
		err := s.pass(ctx, op)
		fate := ""
		if err == nil {
			fate = s.f.fate(op)
		}
		switch {
		case err != nil:
			out[i].Err = &zkcore.SendError{Sent: true, Err: err}
		case fate == "request":
			out[i].Err = &zkcore.SendError{Sent: true, Err: errCut}
		case fate == "silence":
			select {
			case <-s.done:
			case <-ctx.Done():
			}
			out[i].Err = &zkcore.SendError{Sent: true, Err: errCut}
		default:
			out[i] = s.f.carryOut(s, op)
			if fate == "reply" {
				out[i] = zkcore.Result{Err: &zkcore.SendError{Sent: true, Err: errCut}}
			}
		}
	}
	for _, r := range out {
		var none *zkcore.SendError
		if errors.As(r.Err, &none) {
			return out, none
		}
	}
	return out, nil
}

// pass waits while the server is mute.
func (s *fakeSession) pass(ctx context.Context, op zkcore.Op) error {
	for {
		select {
		case <-s.done:
			return zkcore.ErrSessionOver
		default:
		}
		s.f.mu.Lock()
		mute := s.f.mute || s.f.stall != nil && s.f.stall(op)
		s.f.mu.Unlock()
		if !mute {
			return nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.done:
		}
	}
}

func (f *fake) fate(op zkcore.Op) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.journal = append(f.journal, fmt.Sprint(names[op.Kind]))
	if f.lose == nil {
		return ""
	}
	return f.lose(op)
}

var names = [...]string{
	zkcore.Create: "create", zkcore.Delete: "delete", zkcore.Get: "get", zkcore.List: "list",
	zkcore.Set: "set", zkcore.Sync: "sync", zkcore.Check: "check",
}

func (f *fake) carryOut(s *fakeSession, op zkcore.Op) (r zkcore.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[op.Path]
	no := func(c zkcore.Code) zkcore.Result {
		return zkcore.Result{Err: &zkcore.ServerError{Code: c, Text: fmt.Sprint("code ", int32(c))}}
	}
	root := op.Path == "/"
	switch op.Kind {
	case zkcore.Create:
		return f.create(s, op, no)
	case zkcore.Check:
		if n == nil && !root {
			return no(zkcore.NoNode)
		}
	case zkcore.Sync:
	case zkcore.List:
		if n == nil {
			return no(zkcore.NoNode)
		}
		r.Children = f.children(op.Path)
	default:
		if n == nil {
			return no(zkcore.NoNode)
		}
		switch op.Kind {
		case zkcore.Delete:
			f.remove(op.Path)
		case zkcore.Set:
			n.data, n.Version = op.Data, n.Version+1
			f.fire(n, zkcore.Changed)
		default:
			r.Data, r.Stat = n.data, n.Stat
			if op.OnEvent != nil {
				n.watches = append(n.watches, fakeWatch{s, op.OnEvent})
			}
		}
	}
	return r
}

func (f *fake) create(s *fakeSession, op zkcore.Op, no func(zkcore.Code) zkcore.Result) zkcore.Result {
	dir := op.Path[:strings.LastIndexByte(op.Path, '/')]
	if dir != "" && f.nodes[dir] == nil {
		return no(zkcore.NoNode)
	}
	path := op.Path
	if op.Mode == zkcore.EphemeralSequential {
		path = fmt.Sprintf("%s%010d", path, f.made[dir])
	}
	if f.nodes[path] != nil {
		return no(zkcore.NodeExists)
	}
	f.made[dir]++
	f.zxid++
	n := &fakeNode{data: op.Data, Stat: zkcore.Stat{Czxid: f.zxid, Created: time.Now()}}
	if op.Mode == zkcore.EphemeralSequential || op.Mode == zkcore.Ephemeral {
		n.Owner = s.id
	}
	f.nodes[path] = n
	return zkcore.Result{Path: path, Stat: zkcore.Stat{Czxid: f.zxid}}
}

func (f *fake) remove(path string) {
	n := f.nodes[path]
	delete(f.nodes, path)
	f.zxid++
	f.fire(n, zkcore.Deleted)
}

func (f *fake) fire(n *fakeNode, e zkcore.Event) {
	list := n.watches
	n.watches = nil
	for _, w := range list {
		select {
		case <-w.of.done:
		default:
			go w.tell(e)
		}
	}
}

func (f *fake) children(dir string) (out []string) {
	for path := range f.nodes {
		if name, ok := strings.CutPrefix(path, dir+"/"); ok && !strings.Contains(name, "/") {
			out = append(out, name)
		}
	}
	return out
}

// contenders are the nodes in the lock's directory.
func (f *fake) contenders() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.children("/locks/orders")
}

// did is how often each kind of request was sent since the last call.
func (f *fake) did() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]int{}
	for _, op := range f.journal {
		out[op]++
	}
	f.journal = nil
	return out
}

// silence makes the server mute, and says so to its client, or ends that.
func (f *fake) silence(on, told bool) {
	f.mu.Lock()
	f.mute = on
	s := f.current
	f.mu.Unlock()
	if told {
		s.onState(!on)
	}
}

// losing decides over the fate of requests: "", "request" or "reply".
func (f *fake) losing(decide func(op zkcore.Op) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose = decide
}

func lost(t *testing.T, err error, why recipes.Reason) {
	t.Helper()
	require.ErrorIs(t, err, recipes.ErrLost)
	var l *recipes.LostError
	require.ErrorAs(t, err, &l)
	require.Equal(t, why, l.Reason, "%v", err)
}
