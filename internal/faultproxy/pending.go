package faultproxy

import (
	"slices"
	"sync"
)

// entry is a request that has not been answered in full.
type entry struct {
	req    *Request
	line   *line
	rule   *Rule  // nil for an ordinary request
	left   int    // frames of the answer still to come
	forged []byte // not nil: never sent to the server; this is the answer
	code   int32  // of the forged answer
	reset  bool   // never sent to the server; the connection ends here
}

// act is the action on an entry; ok is false for an ordinary one.
func (e *entry) act() (kind actionKind, ok bool) {
	if e.rule == nil {
		return 0, false
	}
	return e.rule.act.kind, true
}

// pending are the requests of one connection that wait for answers, oldest
// first. Forged answers wait in the same line, so that a pipeline sees its
// answers in order.
type pending struct {
	mu   sync.Mutex
	list []*entry
}

// expect puts an entry in line. It must come before the request is sent, or
// its answer could be taken for something unasked.
func (c *Conn) expect(e *entry) {
	if e.left == 0 && e.forged == nil && !e.reset {
		return // a request that gets no answer
	}
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	c.open.list = append(c.open.list, e)
	c.settle()
}

// settle answers the entries at the front that the server has no part in.
func (c *Conn) settle() {
	for len(c.open.list) > 0 {
		e := c.open.list[0]
		if e.forged == nil && !e.reset {
			return
		}
		c.open.list = c.open.list[1:]
		if e.reset {
			c.lanes[ToClient].push(item{end: endReset})
		} else {
			c.lanes[ToClient].push(item{data: e.forged, done: e.line, code: e.code})
		}
		e.rule.happened()
	}
}

// answer does with a frame of the server what its request's rule says. Only
// this goroutine takes an entry that was sent out of the line, so it stays
// there while its reply is held.
func (c *Conn) answer(rep *reply) {
	c.open.mu.Lock()
	var e *entry
	if i := c.proto.match(c.open.list, rep); i >= 0 {
		e = c.open.list[i]
	}
	c.open.mu.Unlock()
	if e == nil {
		c.unasked(rep)
		return
	}
	kind, ruled := e.act()
	if ruled && e.left == e.req.frames && (kind == actHoldReply || kind == actDelayReply) {
		c.holdUp(e.rule, kind == actDelayReply)
	}
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	e.left--
	if rep.failed {
		e.left = 0
	}
	c.deliver(e, rep)
	if e.left == 0 {
		c.open.list = slices.DeleteFunc(c.open.list, func(o *entry) bool { return o == e })
		c.settle()
	}
}

func (c *Conn) deliver(e *entry, rep *reply) {
	kind, ruled := e.act()
	var end ending
	switch {
	case ruled && kind == actSwallowReply:
		end = endSilence
	case ruled && kind == actSwallowReplyReset:
		end = endReset
	case ruled && kind == actDropReply:
	default:
		it := item{data: rep.raw}
		if e.left == 0 {
			it.done, it.code = e.line, rep.code
		}
		c.lanes[ToClient].push(it)
		return
	}
	if e.left > 0 {
		return
	}
	if end != endNone {
		c.lanes[ToClient].push(item{end: end})
	}
	e.rule.happened()
}

// unasked passes on what the server sent of its own accord.
func (c *Conn) unasked(rep *reply) {
	copies := 1
	if rep.message != nil {
		copies = c.p.copies(c.id, *rep.message)
	}
	for range copies {
		c.lanes[ToClient].push(item{data: rep.raw})
	}
}
