package faultproxy

import "time"

// batch collects requests that came in one piece.
type batch struct {
	c     *Conn
	burst *burst
	data  []byte
}

func (b *batch) flush() {
	if len(b.data) > 0 {
		b.c.lanes[ToServer].push(item{data: b.data})
		b.data = nil
	}
}

// take decides about one request; false when nothing more of the connection
// may reach the server.
func (b *batch) take(req *Request) bool {
	c := b.c
	req.Conn = c.id
	e := &entry{req: req, left: req.frames, line: c.p.log.add(c, req, b.burst)}
	if c.p.cutHere(ToServer, req.beat) {
		b.flush()
		c.lanes[ToServer].push(item{end: endReset})
		return false
	}
	e.rule = c.p.ruleFor(req)
	kind, ruled := e.act()
	if ruled {
		switch kind {
		case actSwallowRequest:
			e.rule.happened()
			return false
		case actDropRequest:
			e.rule.happened()
			return true
		case actSwallowRequestReset:
			e.reset = true
			c.expect(e)
			return false
		case actRefuse:
			e.forged = c.proto.errorReply(req, e.rule.act.text)
			e.code = e.rule.act.code
			c.expect(e)
			return true
		case actDelay, actHold, actHoldReset:
			b.flush() // what is in front of it goes
			if kind == actHoldReset {
				c.resetClient()
			}
			c.holdUp(e.rule, kind == actDelay)
		}
	}
	c.expect(e)
	b.data = append(b.data, req.raw...)
	if ruled && kind == actResetBehind {
		b.flush()
		c.resetClient()
		e.rule.happened()
		return false
	}
	return true
}

// holdUp keeps a frame, and all behind it.
func (c *Conn) holdUp(r *Rule, timed bool) {
	r.happened()
	if !timed {
		c.wait(r.released)
		return
	}
	t := time.NewTimer(r.act.delay)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.done:
	}
}
