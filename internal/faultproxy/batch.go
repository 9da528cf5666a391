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
	e := &entry{req: req, left: req.frames, line: c.p.log.add(req, b.burst)}
	e.rule = c.p.ruleFor(req)
	kind, ruled := e.act()
	if ruled {
		switch kind {
		case actSwallowRequest:
			e.rule.happened()
			return false
		case actSwallowRequestReset:
			e.reset = true
			c.expect(e)
			return false
		case actRefuse:
			e.forged = c.proto.errorReply(req, e.rule.act.text)
			c.expect(e)
			return true
		case actDelay, actHold, actHoldReset:
			b.holdUp(e.rule)
		}
	}
	c.expect(e)
	b.data = append(b.data, req.raw...)
	return true
}

// holdUp keeps a request and all behind it; what is in front of it goes.
func (b *batch) holdUp(r *Rule) {
	b.flush()
	if r.act.kind == actHoldReset {
		b.c.resetClient()
	}
	r.happened()
	if r.act.kind == actDelay {
		t := time.NewTimer(r.act.delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-b.c.done:
		}
		return
	}
	b.c.wait(r.released)
}
