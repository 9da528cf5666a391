package faultproxy

import "math/rand/v2"

// OnPush asks f about every message to a subscriber how often to deliver it:
// 0 loses it, 2 doubles it. Calls come one at a time. A nil f ends it.
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

func (p *Proxy) copies(m Push) int {
	p.pushMu.Lock()
	defer p.pushMu.Unlock()
	n := 1
	if p.onPush != nil {
		n = p.onPush(m)
	}
	p.log.count(func(s *Stats) {
		s.Messages++
		if n == 0 {
			s.Withheld++
		}
	})
	return n
}
