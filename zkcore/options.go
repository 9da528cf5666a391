package zkcore

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/recipes"
)

// Option is a setting of a Client. A bad value is recipes.ErrInvalid from New.
type Option func(*settings.ZooKeeper) error

// ACL is one entry of a node's access list. Perms is a sum of 1 read, 2 write,
// 4 create, 8 delete, 16 admin.
type ACL = settings.ACL

const (
	leastTimeout   = time.Second / 2
	longestTimeout = 24 * time.Hour
)

// WithSessionTimeout sets the time-out that is asked of the server: 10 s by
// default, from 500 ms to a day. The server may grant another, from 2 to 20 of
// its ticks unless it is set otherwise, and that one counts. It is to a
// ZooKeeper lock what a lease is to one on Redis: a holder that dies blocks the
// others for that long, and one that is cut off loses its locks a little sooner.
func WithSessionTimeout(d time.Duration) Option {
	return func(s *settings.ZooKeeper) error {
		if d < leastTimeout || d > longestTimeout {
			return settings.Invalid("WithSessionTimeout", "%v is not between %v and %v", d, leastTimeout, longestTimeout)
		}
		s.SessionTimeout = d.Truncate(time.Millisecond)
		return nil
	}
}

// WithACL sets the access list of every node that the client makes, parents
// too; those that exist are left alone. By default anybody may do anything, as
// with Curator. Every peer must be able to read the nodes, and to create and
// delete below the lock's path.
func WithACL(list ...ACL) Option {
	return func(s *settings.ZooKeeper) error {
		if len(list) == 0 {
			return settings.Invalid("WithACL", "the list is empty")
		}
		for _, a := range list {
			if a.Perms <= 0 || a.Perms > 31 || a.Scheme == "" {
				return settings.Invalid("WithACL", "%+v is no access entry", a)
			}
		}
		s.ACL = slices.Clone(list)
		return nil
	}
}

// WithAuth proves an identity in every session before anything else is asked,
// for example the scheme "digest" with "user:password". It may be given more
// than once.
func WithAuth(scheme string, data []byte) Option {
	return func(s *settings.ZooKeeper) error {
		if scheme == "" {
			return settings.Invalid("WithAuth", "the scheme is empty")
		}
		s.Auth = append(s.Auth, settings.Auth{Scheme: scheme, Data: slices.Clone(data)})
		return nil
	}
}

// WithDialer sets how connections are made; net.Dialer's DialContext by default.
// For TLS give it that of a tls.Dialer. address is as it was given to Connect, so
// names are looked up anew for every connection.
func WithDialer(dial func(ctx context.Context, network, address string) (net.Conn, error)) Option {
	return func(s *settings.ZooKeeper) error {
		if dial == nil {
			return settings.Invalid("WithDialer", "the dialer is nil")
		}
		s.Dial = dial
		return nil
	}
}

// WithRetry sets the pauses between connections and between repeats of one
// request: base before the second attempt, twice as long each time up to
// ceiling, less a random part. tries is how many repeats one call makes before
// it reports recipes.ErrUnavailable, if the session's time-out does not come
// first; 0 is no count. The default is 10 ms, no count, 1 s. It is what
// Curator's ExponentialBackoffRetry(base, tries, ceiling) is there for.
func WithRetry(base time.Duration, tries int, ceiling time.Duration) Option {
	return func(s *settings.ZooKeeper) error {
		if base <= 0 || ceiling < base || ceiling > grant.MaxLease || tries < 0 {
			return settings.Invalid("WithRetry", "base %v, tries %d, ceiling %v", base, tries, ceiling)
		}
		s.Retry = settings.Retry{Base: base, Tries: tries, Ceiling: ceiling}
		return nil
	}
}

// WithNamespace puts path in front of every path: with "/app" a lock
// "/locks/orders" is stored at "/app/locks/orders". Empty by default. It is what
// Curator's namespace is, there without the slash. It also stands for a chroot
// in the connect string.
func WithNamespace(path string) Option {
	return func(s *settings.ZooKeeper) error {
		path = "/" + strings.Trim(path, "/")
		if bad := settings.BadPath(path); bad != "" {
			return settings.Invalid("WithNamespace", "%s: %s", grant.Quote(path), bad)
		}
		s.Namespace = path
		return nil
	}
}

// WithReleaseBudget bounds how long a Release waits for the store: 5 s by
// default. After that it goes on behind.
func WithReleaseBudget(d time.Duration) Option {
	return func(s *settings.ZooKeeper) error { return s.SetReleaseBudget(d) }
}

// WithClockRate sets the part of the session's time-out given up because the
// server's clock may run faster than ours: 0.01, that is 1 %, by default; from 0
// to 0.5.
func WithClockRate(part float64) Option {
	return func(s *settings.ZooKeeper) error { return s.SetClockRate(part) }
}

// WithLogger sets where the client reports what no caller sees: a lost
// connection, a failed clean-up. Silent by default.
func WithLogger(l *slog.Logger) Option {
	return func(s *settings.ZooKeeper) error { return s.SetLogger(l) }
}

// WithObserver sets who hears of the events of all locks of the client.
func WithObserver(o recipes.Observer) Option {
	return func(s *settings.ZooKeeper) error { return s.SetObserver(o) }
}
