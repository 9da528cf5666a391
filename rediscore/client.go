package rediscore

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast/internal/settings"
)

// Client is the core of all Redis recipes. It is safe for concurrent use.
type Client struct {
	conn Conn
	set  settings.Redis
	slot settings.Slot
}

// New makes a Client on conn. It validates the options and does no I/O; what it
// must know of the deployment it asks at the first lock. A bad option is
// recipes.ErrInvalid.
func New(conn Conn, opts ...Option) (*Client, error) {
	if conn == nil {
		panic("rediscore: New with a nil Conn")
	}
	set := settings.DefaultRedis()
	var bad []error
	for _, opt := range opts {
		if err := opt(&set); err != nil {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return &Client{conn: conn, set: set}, nil
}

// Close ends the client in order. New Locks get recipes.ErrClosed and waiters
// leave; the contexts of live holds end with cause recipes.ErrClosed, while the
// holds stay held and renewed; then it waits for their Releases, and for what is
// being undone, until ctx ends. What is still held then is lost
// (recipes.ReasonClosed) and abandoned, not released, because its work may be
// running: its keys lapse with their lease. Close then returns ctx's error.
//
// The driver's client that was given to the leaf stays open.
func (c *Client) Close(ctx context.Context) error {
	err := c.slot.Close(ctx)
	return errors.Join(err, c.conn.Close())
}

// Internals is for the recipes of this module: what they build on has no API.
func (c *Client) Internals() (Conn, *settings.Redis, *settings.Slot) {
	return c.conn, &c.set, &c.slot
}
