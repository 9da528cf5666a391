package redisx

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/rediscore"
)

// feed is one connection's worth of subscriptions. The driver's own way to
// reconnect is not trusted: after any error a new connection is made and every
// channel is subscribed anew, and each confirmation wakes that channel's
// waiters, so that a release missed in between is seen.
type feed struct {
	hub    *hub
	key    feedKey
	lead   string // a channel whose owner it connects to, when sharded
	topics map[string]*topic
	kick   chan struct{}
}

const (
	// A peer that says nothing for pingAfter is asked, one that says nothing
	// for deadAfter is left: a connection can be mute for minutes before TCP
	// notices.
	pingAfter = time.Second
	deadAfter = 3 * time.Second
	feedTick  = 500 * time.Millisecond
)

var errMute = errors.New("the connection for signals is mute")

// run keeps a connection while there are channels.
func (f *feed) run(ctx context.Context) {
	for failures := 0; ; failures++ {
		if failures > 0 {
			pause := min(10*time.Millisecond<<min(failures, 8), time.Second)
			select {
			case <-time.After(pause/2 + time.Duration(rand.Int64N(int64(pause/2)))):
			case <-ctx.Done():
			}
		}
		if f.finished(ctx) {
			return
		}
		began := time.Now()
		err := f.session(ctx)
		if f.key.sharded {
			f.refile()
		}
		if err == nil {
			failures = -1
			continue
		}
		if time.Since(began) > deadAfter {
			failures = 0
		}
		if ctx.Err() == nil && failures == 0 {
			f.hub.core.log.Warn("signals interrupted", "err", err)
		}
	}
}

// finished takes the feed out of the hub when it has nothing to listen to.
func (f *feed) finished(ctx context.Context) bool {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	if len(f.topics) > 0 && ctx.Err() == nil {
		return false
	}
	if f.hub.feeds[f.key] == f {
		delete(f.hub.feeds, f.key)
	}
	return true
}

// refile moves channels whose slot has gone to another node.
func (f *feed) refile() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	for name, t := range f.topics {
		node := f.hub.core.conn.Node(name)
		if node == f.key.node {
			continue
		}
		delete(f.topics, name)
		f.hub.adopt(t)
	}
}

// session is one connection's life. A nil error says that no channel is left.
func (f *feed) session(ctx context.Context) error {
	opening, cancel := context.WithTimeout(ctx, deadAfter)
	stream, err := f.hub.core.conn.Listen(opening, f.lead, f.key.sharded)
	cancel()
	if err != nil {
		return err
	}
	defer f.forget()
	defer func() { _ = stream.Close() }()
	// The first SUBSCRIBE dials; a Receive beside it would only wait for its
	// lock.
	if more, err := f.arrange(stream); err != nil || !more {
		return err
	}
	signals, failed := make(chan rediscore.Signal, 64), make(chan error, 1)
	ended := make(chan struct{})
	defer close(ended)
	go receive(stream, signals, failed, ended)
	return f.serve(ctx, stream, signals, failed)
}

func receive(s rediscore.Stream, out chan<- rediscore.Signal, failed chan<- error, ended <-chan struct{}) {
	for {
		sig, err := s.Receive()
		if err != nil {
			failed <- err
			return
		}
		select {
		case out <- sig:
		case <-ended:
			return
		}
	}
}

func (f *feed) serve(ctx context.Context, s rediscore.Stream, signals <-chan rediscore.Signal, failed <-chan error) error {
	tick := time.NewTicker(feedTick)
	defer tick.Stop()
	last := time.Now()
	for {
		more, err := f.arrange(s)
		if err != nil || !more {
			return err
		}
		select {
		case sig := <-signals:
			last = time.Now()
			f.deliver(sig)
		case err := <-failed:
			return err
		case <-f.kick:
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			switch mute := time.Since(last); {
			case mute > deadAfter:
				return errMute
			case mute > pingAfter:
				if err := guarded(s, s.Ping); err != nil {
					return err
				}
			}
		}
	}
}

// guarded bounds a call that the driver may leave hanging.
func guarded(s rediscore.Stream, f func() error) error {
	t := time.AfterFunc(deadAfter, func() { _ = s.Close() })
	defer t.Stop()
	return f()
}

// arrange subscribes what is wanted and unsubscribes what has idled; more says
// whether anything is left.
func (f *feed) arrange(s rediscore.Stream) (more bool, err error) {
	var add, drop []string
	f.hub.mu.Lock()
	for name, t := range f.topics {
		switch {
		case len(t.waiters) == 0 && time.Since(t.idleSince) > linger:
			delete(f.topics, name)
			if t.asked {
				drop = append(drop, name)
			}
		case !t.asked:
			t.asked = true
			add = append(add, name)
		}
	}
	more = len(f.topics) > 0
	f.hub.mu.Unlock()
	if len(add) > 0 {
		if err := guarded(s, func() error { return s.Subscribe(add...) }); err != nil {
			return true, err
		}
	}
	if len(drop) > 0 {
		if err := guarded(s, func() error { return s.Unsubscribe(drop...) }); err != nil && more {
			return true, err
		}
	}
	return more, nil
}

func (f *feed) deliver(sig rediscore.Signal) {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	t := f.topics[sig.Channel]
	if t == nil {
		return
	}
	if sig.Confirmed {
		t.confirmed = true
	} else {
		t.heard++
	}
	t.tell()
}

// forget marks every channel as not subscribed.
func (f *feed) forget() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	for _, t := range f.topics {
		t.asked, t.confirmed = false, false
	}
	grant.Signal(f.kick)
}
