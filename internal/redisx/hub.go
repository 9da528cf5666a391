package redisx

import (
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
)

// hub shares the subscriptions of a client: one channel a name however many
// wait, one connection for all channels, or one a node where they are sharded.
// A signal is a hint and carries nothing; waiters look for themselves.
type hub struct {
	core  *Core
	mu    sync.Mutex
	feeds map[feedKey]*feed
	over  bool
}

type feedKey struct {
	node    string
	sharded bool
}

// topic is one channel.
type topic struct {
	channel   string
	waiters   map[chan struct{}]struct{}
	asked     bool // a SUBSCRIBE has been sent on this connection
	confirmed bool
	heard     int
	idleSince time.Time
}

// linger keeps a channel that nobody waits on subscribed for a moment: on a
// busy name the next waiter comes soon.
const linger = 3 * time.Second

func newHub(c *Core) *hub { return &hub{core: c, feeds: make(map[feedKey]*feed)} }

// ear is one waiter's ear at a channel.
type ear struct {
	hub    *hub
	topics []*topic
	wake   chan struct{}
}

// join listens to a channel. wake has one slot and is told when the channel is
// confirmed, and at each message.
func (h *hub) join(channel string, wake chan struct{}) *ear {
	e := &ear{hub: h, wake: wake}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return e
	}
	for _, sharded := range h.ways() {
		t := h.topic(channel, sharded)
		t.waiters[wake] = struct{}{}
		e.topics = append(e.topics, t)
		if t.confirmed {
			grant.Signal(wake)
		}
	}
	return e
}

// ways is how signals are heard here.
func (h *hub) ways() []bool {
	switch h.core.publishing() {
	case publishSharded:
		return []bool{true}
	case publishBoth:
		return []bool{false, true}
	}
	return []bool{false}
}

// topic finds or makes a channel's topic, and the feed that carries it.
func (h *hub) topic(channel string, sharded bool) *topic {
	f := h.feed(channel, sharded)
	t := f.topics[channel]
	if t == nil {
		t = &topic{channel: channel, waiters: make(map[chan struct{}]struct{}, 1)}
		f.topics[channel] = t
		grant.Signal(f.kick)
	}
	return t
}

func (h *hub) feed(channel string, sharded bool) *feed {
	key := feedKey{sharded: sharded}
	if sharded {
		key.node = h.core.conn.Node(channel)
	}
	f := h.feeds[key]
	if f == nil {
		f = &feed{hub: h, key: key, lead: channel, topics: make(map[string]*topic), kick: make(chan struct{}, 1)}
		h.feeds[key] = f
		go f.run(h.core.Behind)
	}
	return f
}

// adopt files a sharded topic under the node that owns its channel now. Ears
// hold on to the topic, so it is the topic that moves.
func (h *hub) adopt(t *topic) {
	f := h.feed(t.channel, true)
	t.asked, t.confirmed = false, false
	if other := f.topics[t.channel]; other != nil {
		for wake := range other.waiters {
			t.waiters[wake] = struct{}{}
		}
	}
	f.topics[t.channel] = t
	grant.Signal(f.kick)
}

func (e *ear) leave() {
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	for _, t := range e.topics {
		if delete(t.waiters, e.wake); len(t.waiters) == 0 {
			t.idleSince = time.Now()
		}
	}
}

// heard counts the messages on a channel.
func (h *hub) heard(channel string) (n int) {
	h.each(channel, func(t *topic) { n += t.heard })
	return n
}

// listening counts this client's confirmed subscriptions to a channel: how many
// of those that a message reaches are our own.
func (h *hub) listening(channel string) (n int) {
	h.each(channel, func(t *topic) {
		if t.confirmed {
			n++
		}
	})
	return n
}

func (h *hub) each(channel string, f func(*topic)) {
	if h.core.set.Signals == settings.Off {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, feed := range h.feeds {
		if t := feed.topics[channel]; t != nil {
			f(t)
		}
	}
}

func (t *topic) tell() {
	for wake := range t.waiters {
		grant.Signal(wake)
	}
}

// close lets all feeds end; the core has ended their context.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, f := range h.feeds {
		grant.Signal(f.kick)
	}
}
