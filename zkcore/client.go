package zkcore

import (
	"context"
	"errors"

	"github.com/holdfast-go/holdfast/internal/settings"
)

// Client is the core of all ZooKeeper recipes: one identity, one session at a
// time. It is safe for concurrent use, and one for a process is enough.
type Client struct {
	dialer Dialer
	set    settings.ZooKeeper
	slot   settings.Slot
}

// New makes a Client on dialer. It validates the options and does no I/O: the
// first session is opened for the first lock. A bad option is
// recipes.ErrInvalid. Most programs call gozk.Connect instead.
func New(dialer Dialer, opts ...Option) (*Client, error) {
	if dialer == nil {
		panic("zkcore: New with a nil Dialer")
	}
	set := settings.DefaultZooKeeper()
	var bad []error
	for _, opt := range opts {
		if err := opt(&set); err != nil {
			bad = append(bad, err)
		}
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return &Client{dialer: dialer, set: set}, nil
}

// Close ends the client in order. New Locks get recipes.ErrClosed and waiters
// leave; the contexts of live holds end with cause recipes.ErrClosed, while the
// holds stay held; then it waits for their Releases, and for what is being
// deleted, until ctx ends. If nothing is held by then, the session is closed at
// the server. What is still held is lost (recipes.ReasonClosed) and abandoned,
// not released, because its work may be running: the connection is dropped, the
// session and its nodes end with the server's time-out. Close then returns
// ctx's error.
func (c *Client) Close(ctx context.Context) error { return c.slot.Close(ctx) }

// Internals is for the recipes and drivers of this module: what they build on
// has no API.
func (c *Client) Internals() (Dialer, *settings.ZooKeeper, *settings.Slot) {
	return c.dialer, &c.set, &c.slot
}
