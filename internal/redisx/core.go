// Package redisx is the inside of the Redis core: what rediscore.Client stands
// for and recipes on Redis are built from.
package redisx

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/core"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/limit"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/rediscore"
)

// Core is one client: an identity, its lines, its grants, what goes on behind.
type Core struct {
	core.Life
	core.Lines
	conn   rediscore.Conn
	set    *settings.Redis
	log    *slog.Logger
	id     string
	owners atomic.Int64
	hub    *hub
	trips  trips
	quiet  core.Quiet
	probe  probe
	// oneByOne: a proxy hides a cluster, so scripts take the keys of one name.
	oneByOne atomic.Bool
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
	}
	c.Begin(&set.Common, closed)
	c.hub = newHub(c)
	c.quiet.Gap = set.WatchdogLease
	c.probe.turn = make(chan struct{}, 1)
	c.Keeper.Renew = func(due []grant.Due) { go c.renew(due) }
	c.Keeper.Linger = true
	c.Keeper.Ahead = set.WatchdogLease / 30
	return c
}

// owner is an id that no other holder has or will have.
func (c *Core) owner() string { return grant.OwnerText(c.id, c.owners.Add(1)) }

// attemptLimit is how long one request may go unanswered before it is sent anew,
// over another connection.
func (c *Core) attemptLimit() time.Duration { return min(c.set.WatchdogLease/3, longestAttempt) }

const longestAttempt = 3 * time.Second

// try bounds one request in time; closing the client interrupts it.
func (c *Core) try(ctx context.Context) *limit.Context { return limit.New(ctx, c.attemptLimit()) }

// env is what the acquire loop needs to know.
func (c *Core) env(verb string, l *Lock, lease time.Duration) claim.Env {
	return claim.Env{
		Verb: verb, Name: l.Name, Emit: c.Emitter(l.Recipe.Name), Closing: c.Closing,
		Silence: c.quiet.Length, Patience: c.set.WatchdogLease, TryFor: min(c.set.WatchdogLease, lease) / 3,
	}
}

// Close is rediscore.Client.Close.
func (c *Core) Close(ctx context.Context) error {
	c.BeginClosing()
	c.conn.Interrupt()
	err := c.End(ctx)
	c.hub.close()
	return err
}
