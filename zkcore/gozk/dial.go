package gozk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/zkcore"
)

// dialer opens sessions, each on a driver connection of its own.
type dialer struct {
	servers []string
	set     *settings.ZooKeeper
	newest  atomic.Pointer[link]
}

// trouble is why there is no connection, if that is known.
func (d *dialer) trouble() error {
	if l := d.newest.Load(); l != nil {
		return l.lastError()
	}
	return nil
}

// Dial is zkcore.Dialer.
func (d *dialer) Dial(ctx context.Context, timeout time.Duration, onState func(bool)) (zkcore.Session, error) {
	s := newSession(d.set, timeout, onState)
	d.newest.Store(s.link)
	conn, _, err := zk.Connect(d.servers, timeout,
		zk.WithDialer(s.link.dial),
		zk.WithHostProvider(&hosts{link: s.link}),
		zk.WithEventCallback(s.event),
		zk.WithLogger(quiet{d.set.Logger}),
		zk.WithLogInfo(false),
	)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	close(s.made)
	if err := s.open(ctx); err != nil {
		_ = s.Close(false)
		return nil, err
	}
	return s, nil
}

// open waits for the session and proves the client's identities in it.
func (s *session) open(ctx context.Context) error {
	select {
	case <-s.opened:
	case <-s.link.gone:
		return zkcore.ErrSessionOver
	case <-ctx.Done():
		if err := s.link.lastError(); err != nil {
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return context.Cause(ctx)
	}
	for _, a := range s.set.Auth {
		done := make(chan error, 1)
		go func() { done <- s.conn.AddAuth(a.Scheme, a.Data) }()
		select {
		case err := <-done:
			if errors.Is(err, zk.ErrAuthFailed) {
				return fmt.Errorf("%w: auth %q: %w", zkcore.ErrRefused, a.Scheme, err)
			} else if err != nil {
				return err
			}
		case <-s.link.gone:
			return zkcore.ErrSessionOver
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// hosts hands the driver the servers in turn, by name, so that each connection
// looks the name up anew. It never asks for the driver's own pause, which is a
// whole second and fails the requests that wait; the link pauses. Only when the
// session is over it does, since the driver looks for its end nowhere else.
type hosts struct {
	link    *link
	servers []string
	next    atomic.Int64
}

// Init is zk.HostProvider.
func (h *hosts) Init(servers []string) error {
	h.servers = servers
	return nil
}

// Len is zk.HostProvider.
func (h *hosts) Len() int { return len(h.servers) }

// Next is zk.HostProvider.
func (h *hosts) Next() (string, bool) {
	n := h.next.Add(1) - 1
	return h.servers[int(n)%len(h.servers)], h.link.over()
}

// Connected is zk.HostProvider.
func (h *hosts) Connected() { h.link.connected() }

// quiet is the driver's logger.
type quiet struct{ log *slog.Logger }

func (q quiet) Printf(format string, args ...any) {
	q.log.Debug("go-zookeeper", "msg", fmt.Sprintf(format, args...))
}
