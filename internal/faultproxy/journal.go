package faultproxy

import (
	"sync"
	"time"
)

// Command is a request in the log.
type Command struct {
	Request
	Burst    int  // number of the client's write that it came in
	Answered bool // by the server or by a forged reply, which is on its way to the client

	AnsweredAt time.Time
	Code       int32 // ZooKeeper: the error of the answer, 0 for none
	// InFlight is how many earlier requests of its connection had no answer
	// when this one was read, heartbeats aside: 0 says that the client had
	// everything it had asked for. Where an answer can overtake the client's
	// next write, a Delay of the answers makes it certain.
	InFlight int
}

// Stats are counts since the proxy started, or since Reset.
type Stats struct {
	Accepted  int // connections
	Requests  int
	Bursts    int // writes of clients; the requests of a pipeline are one
	Messages  int // messages to subscribers, or watch events, that came from the server
	Withheld  int // of these, not passed on
	Malformed int // connections cut because they spoke something else
	// RoundTrips are the bursts of which at least one request was answered.
	// A pipeline larger than 64 KiB may count as several.
	RoundTrips int
}

// journal is the log and the counts of one proxy.
type journal struct {
	mu     sync.Mutex
	stats  Stats
	bursts int
	lines  []*line
	pushes []Message
}

type line struct {
	Command
	conn  *Conn
	burst *burst
}

// burst is one write of a client, as far as it was read in one go.
type burst struct {
	number   int
	answered bool
}

// kept is how many requests the log remembers at least.
const kept = 1 << 16

func (j *journal) count(f func(*Stats)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.stats)
}

func (j *journal) newBurst() *burst {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Bursts++
	j.bursts++
	return &burst{number: j.bursts}
}

func (j *journal) add(c *Conn, req *Request, b *burst) *line {
	l := &line{Command: Command{Request: *req, Burst: b.number}, conn: c, burst: b}
	l.raw = nil // the words are enough
	j.mu.Lock()
	defer j.mu.Unlock()
	l.InFlight = c.flight
	if l.waited() {
		c.flight++
	}
	j.stats.Requests++
	j.lines = append(j.lines, l)
	if len(j.lines) > 2*kept {
		j.lines = append([]*line(nil), j.lines[kept:]...)
	}
	return l
}

// waited: the client waits for an answer to it.
func (l *line) waited() bool { return l.frames > 0 && !l.beat }

// answer must come before the client can see the reply: a test counts right
// after its call returns.
func (j *journal) answer(l *line, code int32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l.Answered, l.AnsweredAt, l.Code = true, time.Now(), code
	if l.waited() {
		l.conn.flight--
	}
	if !l.burst.answered {
		l.burst.answered = true
		j.stats.RoundTrips++
	}
}

// Stats are the counts so far. A request is counted before the server sees
// it, a round trip before the client sees the answer.
func (p *Proxy) Stats() Stats {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	return p.log.stats
}

// Commands are the requests so far in the order they were read, at least the
// latest 65536.
func (p *Proxy) Commands() []Command {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	list := make([]Command, 0, len(p.log.lines))
	for _, l := range p.log.lines {
		list = append(list, l.Command)
	}
	return list
}

// Count is how many requests of the log match.
func (p *Proxy) Count(match Match) int {
	n := 0
	for _, c := range p.Commands() {
		if match(c.Request) {
			n++
		}
	}
	return n
}

// Flights is how many requests of the log match and were sent when their
// client waited for nothing else: requests that go together are one.
func (p *Proxy) Flights(match Match) int {
	n := 0
	for _, c := range p.Commands() {
		if c.InFlight == 0 && match(c.Request) {
			n++
		}
	}
	return n
}

// Reset empties the log and sets the counts to zero.
func (p *Proxy) Reset() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.log.stats, p.log.lines, p.log.pushes = Stats{}, nil, nil
}
