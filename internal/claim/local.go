package claim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
)

// Local is a lock that lives in this process alone: a line and a clock.
type Local struct {
	name   string
	line   Line
	keeper grant.Keeper
	emit   func(grant.Event)
	owners atomic.Int64
	fence  atomic.Int64
}

// NewLocal is a lock nobody holds.
func NewLocal(name string) *Local { return &Local{name: name} }

// Lock runs one Lock or TryLock call.
func (x *Local) Lock(ctx context.Context, o grant.Options, try bool) (*grant.Level, error) {
	verb := "lock"
	if try {
		verb = "try lock"
	}
	env := Env{Verb: verb, Name: x.name, Emit: x.emit}
	if bad := o.Check(try); bad != "" {
		return nil, &grant.Fault{Verb: verb, Name: x.name, Kind: grant.ErrInvalid, Detail: bad}
	}
	parent, err := grant.Carried(ctx, x.id())
	if err != nil {
		return nil, err
	}
	if parent != nil {
		return Run(ctx, env, NewReentry(parent, o), o, try)
	}
	once := try || o.HasWait && o.Wait <= 0
	return Run(ctx, env, &localClaim{lock: x, opts: o, once: once}, o, try)
}

func (x *Local) id() grant.ID { return grant.ID{Core: x, Name: x.name, Family: "local"} }

// nextFence grows with every grant and starts at the time in microseconds, so
// that it goes on growing over a restart of the process.
func (x *Local) nextFence() int64 {
	for {
		last := x.fence.Load()
		next := max(last+1, time.Now().UnixMicro())
		if x.fence.CompareAndSwap(last, next) {
			return next
		}
	}
}

type localClaim struct {
	lock  *Local
	opts  grant.Options
	once  bool
	place *Place
	wake  chan struct{}
	level *grant.Level
}

func (c *localClaim) Ask(context.Context) (*grant.Level, Busy, error) {
	line := &c.lock.line
	if c.once {
		if !line.TryTake(nil) {
			return nil, Busy{}, nil
		}
		return c.granted()
	}
	if c.place == nil {
		c.wake = make(chan struct{}, 1)
		c.place = line.Join(nil, c.wake)
	}
	if !c.place.Take() {
		return nil, Busy{Wake: c.wake, After: time.Second}, nil
	}
	return c.granted()
}

func (c *localClaim) granted() (*grant.Level, Busy, error) {
	x, now := c.lock, grant.Now()
	s := grant.Start{
		ID: x.id(), Name: x.name, Owner: grant.OwnerText("local", x.owners.Add(1)),
		Fence: x.nextFence(), Fenced: true,
		Store: &localStore{line: &x.line}, Keeper: &x.keeper, Emit: x.emit, Sent: now,
	}
	switch {
	case c.opts.Leased:
		s.Policy = grant.Policy{Lease: c.opts.Lease, Leased: true}
		s.Until = now.Add(c.opts.Lease)
	case c.opts.Bounded:
		s.Policy = grant.Policy{End: now.Add(c.opts.MaxHold)}
		s.Until = s.Policy.End
	}
	g := grant.New(s)
	s.Store.(*localStore).grant = g
	level, err := g.Open(nil, c.opts)
	if err != nil {
		return nil, Busy{}, err
	}
	c.level = level
	return level, Busy{}, nil
}

func (c *localClaim) Leave() {
	switch {
	case c.level != nil:
		c.level.Undo()
		c.level.Grant.Store().(*localStore).gone()
	case c.place != nil:
		c.place.Leave()
	}
}

// localStore is the store's side where there is no store.
type localStore struct {
	line  *Line
	grant *grant.Grant
	once  sync.Once
}

// gone frees the lock, once, however the hold came to its end.
func (s *localStore) gone() { s.once.Do(s.line.Gone) }

func (s *localStore) Reenter(context.Context, grant.Count) error { return nil }

func (s *localStore) Release(_ context.Context, left grant.Count) error {
	if left.Total() == 0 {
		s.gone()
	}
	return nil
}

func (s *localStore) Extend(_ context.Context, lease time.Duration) error {
	if lease > 0 {
		now := grant.Now()
		s.grant.Renewed(now, now.Add(lease), lease)
	}
	return nil
}

// Lost frees the lock: the end of a lease here is what the store's expiry is
// elsewhere.
func (s *localStore) Lost() { s.gone() }

func (s *localStore) Discard() {}

func (s *localStore) Settle(_ *grant.Grant, left grant.Count) {
	if left.Total() == 0 {
		s.gone()
	}
}
