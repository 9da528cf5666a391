package faultproxy

import "sync"

// Rule is an action that waits for its request, or its frame.
type Rule struct {
	p     *Proxy
	match Match
	act   Action
	once  bool

	spent    bool // guarded by the proxy's lock
	mu       sync.Mutex
	hits     int
	hit      chan struct{}
	released chan struct{}
	release  sync.Once
}

// OnRequest does act to the first request that matches, of any connection.
// Of several rules that match, the first that was set is taken.
func (p *Proxy) OnRequest(match Match, act Action) *Rule { return p.addRule(match, act, true) }

// OnEveryRequest does act to every request that matches, until Remove.
func (p *Proxy) OnEveryRequest(match Match, act Action) *Rule { return p.addRule(match, act, false) }

func (p *Proxy) addRule(match Match, act Action, once bool) *Rule {
	r := p.newRule(act)
	r.match, r.once = match, once
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, r)
	return r
}

func (p *Proxy) newRule(act Action) *Rule {
	return &Rule{p: p, act: act, hit: make(chan struct{}), released: make(chan struct{})}
}

// Hit is closed when the action has happened for the first time: a reply was
// swallowed or is being held, so that the server has carried the request out;
// a request was swallowed or is being held or delayed; a forged reply is on
// its way.
func (r *Rule) Hit() <-chan struct{} { return r.hit }

// Hits is how often the action has happened.
func (r *Rule) Hits() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hits
}

// Release lets go what is held, and holds nothing more.
func (r *Rule) Release() { r.release.Do(func() { close(r.released) }) }

// Remove makes the rule match no more. What it holds stays held.
func (r *Rule) Remove() {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.spent = true
}

func (r *Rule) happened() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hits++
	if r.hits == 1 {
		close(r.hit)
	}
}

// ruleFor finds the rule for a request, if any.
func (p *Proxy) ruleFor(req *Request) *Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.rules {
		if !r.spent && r.match(*req) {
			r.spent = r.once
			return r
		}
	}
	return nil
}
