package rediscore

import (
	"log/slog"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/internal/settings"
	"github.com/holdfast-go/holdfast/recipes"
)

// Option is a setting of a Client. A bad value is recipes.ErrInvalid from New.
type Option func(*settings.Redis) error

// Signals is how releases are published and heard in a Redis Cluster. Outside
// of a Cluster all but Off are Plain.
type Signals int

const (
	// Auto is Redisson's own rule: sharded in a Cluster whose servers know it
	// (Redis 7 and up), else plain. The default.
	Auto = Signals(settings.Auto)
	// Plain uses PUBLISH and SUBSCRIBE: for Java fleets before Redisson 3.22.
	Plain = Signals(settings.Plain)
	// Sharded uses SPUBLISH and SSUBSCRIBE.
	Sharded = Signals(settings.Sharded)
	// Both publishes and hears both ways: for fleets of mixed Java versions.
	Both = Signals(settings.Both)
	// Off subscribes to nothing and waits by back-off alone, for servers and
	// proxies without pub/sub. It still publishes at release.
	Off = Signals(settings.Off)
)

// WithWatchdogLease sets the lease of holds that the watchdog renews, at a
// third of it: 30 s by default, at least 100 ms, cut to whole milliseconds. A
// holder that dies blocks the others for that long at most; one that is paused
// for longer loses its lock. Beside Java services it should not be above their
// lockWatchdogTimeout.
func WithWatchdogLease(d time.Duration) Option {
	return func(s *settings.Redis) error {
		if bad := grant.BadLease(d); bad != "" {
			return settings.Invalid("WithWatchdogLease", "%s", bad)
		}
		s.WatchdogLease = d.Truncate(time.Millisecond)
		return nil
	}
}

// WithReplicas asks that n replicas acknowledge every grant, by WAIT on the
// connection that wrote, within a second, or a sixth of the watchdog's lease if
// that is less; with fewer the grant is undone. 0 by
// default. It makes it less likely that a failover forgets a lock; Redis does
// not rule it out.
func WithReplicas(n int) Option {
	return func(s *settings.Redis) error {
		if n < 0 {
			return settings.Invalid("WithReplicas", "%d is less than 0", n)
		}
		s.Replicas = n
		return nil
	}
}

// WithSignals sets how releases are published and heard; Auto by default.
func WithSignals(how Signals) Option {
	return func(s *settings.Redis) error {
		if how < Auto || how > Off {
			return settings.Invalid("WithSignals", "%d is none of the constants", int(how))
		}
		s.Signals = settings.Signals(how)
		return nil
	}
}

// WithFairWait sets the grace of a waiter in a fair lock's queue: 300 s by
// default. It must equal fairLockWaitTimeout of the Java services on the same
// names, and be the same on every client.
func WithFairWait(d time.Duration) Option {
	return func(s *settings.Redis) error {
		if bad := grant.BadLease(d); bad != "" {
			return settings.Invalid("WithFairWait", "%s", bad)
		}
		s.FairWait = d.Truncate(time.Millisecond)
		return nil
	}
}

// WithNamespace puts prefix in front of every name: a lock "orders" is stored
// under prefix+"orders". Empty by default. Java services must use the whole
// name.
func WithNamespace(prefix string) Option {
	return func(s *settings.Redis) error {
		if strings.ContainsRune(prefix, 0) || len(prefix) > 512 {
			return settings.Invalid("WithNamespace", "%s has a NUL byte or more than 512 bytes", grant.Quote(prefix))
		}
		s.Namespace = prefix
		return nil
	}
}

// WithReleaseBudget bounds how long a Release waits for the store: 5 s by
// default. After that it goes on behind.
func WithReleaseBudget(d time.Duration) Option {
	return func(s *settings.Redis) error { return s.SetReleaseBudget(d) }
}

// WithClockRate sets the part of a lease given up because the server's clock
// may run faster than ours: 0.01, that is 1 %, by default; from 0 to 0.5.
func WithClockRate(part float64) Option {
	return func(s *settings.Redis) error { return s.SetClockRate(part) }
}

// WithLogger sets where the client reports what no caller sees: a failed
// clean-up, a lost subscription. Silent by default.
func WithLogger(l *slog.Logger) Option {
	return func(s *settings.Redis) error { return s.SetLogger(l) }
}

// WithObserver sets who hears of the events of all locks of the client.
func WithObserver(o recipes.Observer) Option {
	return func(s *settings.Redis) error { return s.SetObserver(o) }
}
