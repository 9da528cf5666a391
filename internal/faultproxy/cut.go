package faultproxy

// cut waits for its frame.
type cut struct {
	rule *Rule
	dir  Direction
	left int
}

// CutAt resets the connection in place of the n-th frame that comes from now
// on in one direction, counted from 1 over all connections. What came before
// it in that direction has passed, and what is under way in the other is lost
// with it; a request that was cut is in the log. In ZooKeeper the handshake's two frames and watch events
// count, heartbeats and their answers do not. Going through n = 1, 2, … until
// a story ends before Hit is closed breaks it at every frame in turn.
func (p *Proxy) CutAt(dir Direction, n int) *Rule {
	r := p.newRule(Action{kind: actCut})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts = append(p.cuts, &cut{rule: r, dir: dir, left: n})
	return r
}

// cutHere counts a frame and tells whether the connection ends in its place.
func (p *Proxy) cutHere(dir Direction, beat bool) bool {
	if beat {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	here := false
	for _, c := range p.cuts {
		if c.rule.spent || c.dir != dir && c.dir != Both {
			continue
		}
		if c.left--; c.left == 0 {
			c.rule.spent = true
			c.rule.happened()
			here = true
		}
	}
	return here
}
