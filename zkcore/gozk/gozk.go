// Package gozk connects zkcore to go-zookeeper, the driver that most Go programs
// use.
//
// It opens sessions of its own: a *zk.Conn of yours cannot be shared, because
// that type replaces an expired session without a word and carries out in the
// new one what was asked of the old.
package gozk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/internal/zkx"
	"github.com/holdfast-go/holdfast/zkcore"
)

const defaultPort = "2181"

// Connect opens a session with one of servers, each "host" or "host:port" with
// port 2181 by default, and waits until it is there. ctx bounds that wait and
// nothing else; give it a deadline, or Connect waits for servers that never
// come. The client then keeps a session until it is closed: it goes on to
// another server when one fails, and opens a new session when one has expired.
//
// Errors: recipes.ErrInvalid for a bad option or server, recipes.ErrUnavailable
// with ctx's error, or the servers' if they refuse the credentials.
func Connect(ctx context.Context, servers []string, opts ...zkcore.Option) (*zkcore.Client, error) {
	list, err := addresses(servers)
	if err != nil {
		return nil, err
	}
	d := &dialer{servers: list}
	c, err := zkcore.New(d, opts...)
	if err != nil {
		return nil, err
	}
	_, d.set, _ = c.Internals()
	if err := zkx.Of(c).Connect(ctx); err != nil {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		_ = c.Close(over)
		if why := d.trouble(); why != nil && !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", err, why)
		}
		return nil, fmt.Errorf("connect to %s: %w", strings.Join(list, ","), err)
	}
	return c, nil
}

// addresses gives every server its port.
func addresses(servers []string) ([]string, error) {
	if len(servers) == 0 {
		return nil, settings.Invalid("Connect", "no servers")
	}
	list := make([]string, 0, len(servers))
	for _, s := range servers {
		if s == "" {
			return nil, settings.Invalid("Connect", "a server is empty")
		}
		host, port, err := net.SplitHostPort(s)
		if a := new(net.AddrError); errors.As(err, &a) && a.Err == "missing port in address" {
			host, port = strings.Trim(s, "[]"), defaultPort
		} else if err != nil {
			return nil, settings.Invalid("Connect", "server %q: %v", s, err)
		}
		if host == "" || port == "" || strings.ContainsAny(host, "/, ") || strings.ContainsAny(port, "/, ") {
			return nil, settings.Invalid("Connect", "server %q: want host:port; a chroot is WithNamespace here", s)
		}
		list = append(list, net.JoinHostPort(host, port))
	}
	return slices.Clip(list), nil
}
