// Package redisx is the inside of the Redis core: what rediscore.Client stands
// for and recipes on Redis are built from.
package redisx

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/limit"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
)

// Core is one client: an identity, its lines, its grants, what goes on behind.
type Core struct {
	conn   rediscore.Conn
	set    *settings.Redis
	log    *slog.Logger
	id     string
	owners atomic.Int64
	keeper grant.Keeper
	hub    *hub
	trips  trips
	quiet  quiet
	probe  probe
	// oneByOne: a proxy hides a cluster, so scripts take the keys of one name.
	oneByOne atomic.Bool

	behind context.Context // of what goes on behind calls; ends with Close
	stop   context.CancelFunc

	mu      sync.Mutex
	closing chan struct{}
	closed  bool
	lines   map[grant.ID]*lineUse
	grants  map[*grant.Grant]struct{}
	tasks   int           // calls under way, and what goes on behind them
	changed chan struct{} // a grant or a task has gone
}

type lineUse struct {
	line  claim.Line
	users int
}

// Of is the core of a client.
func Of(c *rediscore.Client) *Core {
	if c == nil {
		panic("holdfast: the rediscore.Client is nil")
	}
	conn, set, slot := c.Internals()
	return slot.Get(func(closed bool) settings.Mechanism { return newCore(conn, set, closed) }).(*Core)
}

func newCore(conn rediscore.Conn, set *settings.Redis, closed bool) *Core {
	c := &Core{
		conn: conn, set: set, log: set.Logger, id: grant.NewUUID(),
		closing: make(chan struct{}),
		lines:   make(map[grant.ID]*lineUse),
		grants:  make(map[*grant.Grant]struct{}),
		changed: make(chan struct{}, 1),
	}
	c.behind, c.stop = context.WithCancel(context.Background())
	c.hub = newHub(c)
	c.quiet.gap = set.WatchdogLease
	c.probe.turn = make(chan struct{}, 1)
	c.keeper.Renew = func(due []grant.Due) { go c.renew(due) }
	c.keeper.Linger = true
	c.keeper.Ahead = set.WatchdogLease / 30
	if closed {
		c.closed = true
		close(c.closing)
		c.stop()
	}
	return c
}

// owner is an id that no other holder has or will have.
func (c *Core) owner() string { return grant.OwnerText(c.id, c.owners.Add(1)) }

// line is the line of id, for one user of it; give it back with leaveLine.
func (c *Core) line(id grant.ID) *claim.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.lines[id]
	if u == nil {
		u = &lineUse{}
		c.lines[id] = u
	}
	u.users++
	return &u.line
}

func (c *Core) leaveLine(id grant.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.lines[id]
	if u.users--; u.users == 0 {
		delete(c.lines, id)
	}
}

// keep registers a grant; false when the client is closing.
func (c *Core) keep(g *grant.Grant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.grants[g] = struct{}{}
	return true
}

func (c *Core) forget(g *grant.Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.grants, g)
	grant.Signal(c.changed)
}

// enter counts a call, which Close then waits for, with what it leaves to be
// undone; false when the client is closing.
func (c *Core) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.tasks++
	return true
}

func (c *Core) exit() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks--
	grant.Signal(c.changed)
}

// later runs f behind the call that wants it; Close waits for it.
func (c *Core) later(f func(ctx context.Context)) {
	c.mu.Lock()
	c.tasks++
	c.mu.Unlock()
	go func() {
		defer c.exit()
		f(c.behind)
	}()
}

// attemptLimit is how long one request may go unanswered before it is sent anew,
// over another connection.
func (c *Core) attemptLimit() time.Duration { return min(c.set.WatchdogLease/3, longestAttempt) }

const longestAttempt = 3 * time.Second

// try bounds one request in time; closing the client interrupts it.
func (c *Core) try(ctx context.Context) *limit.Context { return limit.New(ctx, c.attemptLimit()) }

// env is what the acquire loop needs to know.
func (c *Core) env(verb string, l *Lock, lease time.Duration) claim.Env {
	return claim.Env{
		Verb: verb, Name: l.Name, Emit: c.emitter(l.Recipe.Name), Closing: c.closing,
		Silence: c.quiet.length, Patience: c.set.WatchdogLease, TryFor: min(c.set.WatchdogLease, lease) / 3,
	}
}

func (c *Core) emitter(recipe string) func(grant.Event) {
	if c.set.Observer == nil {
		return nil
	}
	return func(e grant.Event) {
		e.Recipe = recipe
		c.set.Observer.Observe(recipes.Event(e))
	}
}

// Close is rediscore.Client.Close.
func (c *Core) Close(ctx context.Context) error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	c.mu.Unlock()
	c.conn.Interrupt()
	for _, g := range c.live() {
		g.EndContexts(&grant.Fault{Verb: "hold", Name: g.Name, Kind: grant.ErrClosed})
	}
	err := c.drain(ctx)
	for _, g := range c.live() {
		g.Lose(grant.Closed)
	}
	c.stop()
	c.keeper.Stop()
	c.hub.close()
	return err
}

func (c *Core) drain(ctx context.Context) error {
	for {
		c.mu.Lock()
		left := len(c.grants) + c.tasks
		c.mu.Unlock()
		if left == 0 {
			grant.Signal(c.changed) // for another Close
			return nil
		}
		select {
		case <-c.changed:
		case <-c.behind.Done(): // another Close has ended it
			return nil
		case <-ctx.Done():
			return errors.Join(append(grant.OwnCause(ctx), ctx.Err())...)
		}
	}
}

func (c *Core) live() []*grant.Grant {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*grant.Grant, 0, len(c.grants))
	for g := range c.grants {
		out = append(out, g)
	}
	return out
}
