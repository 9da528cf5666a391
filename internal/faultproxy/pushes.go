package faultproxy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Message is a message to a subscriber, or a watch event, in the log.
type Message struct {
	Push
	Conn   int
	At     time.Time // when it came from the server
	Copies int       // how often it was passed on
}

// Messages are the messages and watch events so far, in the order they came
// from the server, at least the latest 65536.
func (p *Proxy) Messages() []Message {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return slices.Clone(p.log.pushes)
}

// OnPush asks f about every message to a subscriber, and every watch event,
// how often to deliver it: 0 loses it, 2 doubles it. Calls come one at a time. A nil f ends it.
// Confirmations of subscriptions are no messages.
func (p *Proxy) OnPush(f func(Push) int) {
	p.pushMu.Lock()
	defer p.pushMu.Unlock()
	p.onPush = f
}

// DropShare is for OnPush: it loses a share of the messages, 0 to 1, the same
// ones for the same seed and order.
func DropShare(share float64, seed uint64) func(Push) int {
	r := rand.New(rand.NewPCG(seed, seed))
	return func(Push) int {
		if r.Float64() < share {
			return 0
		}
		return 1
	}
}

// DropFrom is for OnPush: it loses what comes from a channel, or about a path,
// that contains part.
func DropFrom(part string) func(Push) int {
	return func(m Push) int {
		if strings.Contains(m.Channel, part) {
			return 0
		}
		return 1
	}
}

func (p *Proxy) copies(conn int, m Push) int {
	p.pushMu.Lock()
	defer p.pushMu.Unlock()
	n := 1
	if p.onPush != nil {
		n = p.onPush(m)
	}
	p.log.pushed(Message{Push: m, Conn: conn, At: time.Now(), Copies: n})
	return n
}

func (j *journal) pushed(m Message) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Messages++
	if m.Copies == 0 {
		j.stats.Withheld++
	}
	j.pushes = append(j.pushes, m)
	if len(j.pushes) > 2*kept {
		j.pushes = slices.Clone(j.pushes[kept:])
	}
}
