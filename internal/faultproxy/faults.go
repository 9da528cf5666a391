package faultproxy

import "time"

// Direction is one way through a connection, or both.
type Direction int

// The directions.
const (
	ToServer Direction = iota
	ToClient
	Both
)

func (d Direction) each(f func(Direction)) {
	if d != ToClient {
		f(ToServer)
	}
	if d != ToServer {
		f(ToClient)
	}
}

// Delay makes every byte of a direction take d longer, without less of them
// in a second. 0 ends it.
func (c *Conn) Delay(dir Direction, d time.Duration) {
	c.set(dir, func(s *state) { s.delay = d })
}

// Pause lets nothing through; Resume lets everything through that was sent
// meanwhile, as when a network heals in time.
func (c *Conn) Pause(dir Direction) { c.set(dir, func(s *state) { s.paused = true }) }

// Resume ends a Pause.
func (c *Conn) Resume(dir Direction) { c.set(dir, func(s *state) { s.paused = false }) }

// Blackhole drops everything without a sign, the end of a connection
// included. A connection that has lost bytes stays silent in that direction
// when the hole is gone, until one side closes it; another goes on.
func (c *Conn) Blackhole(dir Direction, on bool) { c.set(dir, func(s *state) { s.hole = on }) }

// HalfClose tells the receiver of a direction that no more will come, behind
// what is under way; the other direction goes on.
func (c *Conn) HalfClose(dir Direction) {
	dir.each(func(d Direction) { c.lanes[d].push(item{end: endHalf}) })
}

// Cut resets both sides at once.
func (c *Conn) Cut() { c.close(true) }

// Commands are the requests of this connection in the proxy's log.
func (c *Conn) Commands() []Command {
	var list []Command
	for _, cmd := range c.p.Commands() {
		if cmd.Conn == c.id {
			list = append(list, cmd)
		}
	}
	return list
}

func (c *Conn) set(dir Direction, f func(*state)) {
	dir.each(func(d Direction) { c.lanes[d].set(f) })
}

// Delay is Conn.Delay for every connection, also later ones.
func (p *Proxy) Delay(dir Direction, d time.Duration) {
	p.set(dir, func(s *state) { s.delay = d })
}

// Pause is Conn.Pause for every connection, also later ones.
func (p *Proxy) Pause(dir Direction) { p.set(dir, func(s *state) { s.paused = true }) }

// Resume ends a Pause.
func (p *Proxy) Resume(dir Direction) { p.set(dir, func(s *state) { s.paused = false }) }

// Blackhole is Conn.Blackhole for every connection, also later ones: they are
// accepted and hear nothing.
func (p *Proxy) Blackhole(dir Direction, on bool) { p.set(dir, func(s *state) { s.hole = on }) }

// HalfClose is Conn.HalfClose for every connection there is.
func (p *Proxy) HalfClose(dir Direction) {
	for _, c := range p.Conns() {
		c.HalfClose(dir)
	}
}

// Cut resets every connection there is. New ones are accepted, see Refuse.
func (p *Proxy) Cut() {
	for _, c := range p.Conns() {
		c.Cut()
	}
}

// set changes what later connections start with and the present ones in one
// step, so that none slips between.
func (p *Proxy) set(dir Direction, f func(*state)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	dir.each(func(d Direction) { f(&p.states[d]) })
	for _, c := range p.conns {
		c.set(dir, f)
	}
}
