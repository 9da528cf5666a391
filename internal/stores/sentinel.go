package stores

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"
)

// MasterName is what the sentinels call the primary they watch.
const MasterName = "holdfast"

// Watched is a primary and a replica watched by three sentinels.
type Watched struct {
	pair      *Pair
	sentinels []*Server
}

// Servers are the two Redis servers, then the sentinels.
func (w *Watched) Servers() []*Server { return append(w.pair.Servers(), w.sentinels...) }

// Sentinels are the three sentinels.
func (w *Watched) Sentinels() []*Server { return w.sentinels }

// SentinelAddrs are the addresses to give to a failover client, beside
// MasterName.
func (w *Watched) SentinelAddrs() []string { return addrs(w.sentinels) }

// Close kills them all, the sentinels first: they would start a failover.
func (w *Watched) Close() error {
	return errors.Join(closeAll(w.sentinels), w.pair.Close())
}

// StartSentinel starts them and returns when each sentinel knows the replica
// and the other sentinels, so that a failover can succeed.
func StartSentinel(ctx context.Context, dir string, opts ...Option) (*Watched, error) {
	pair, err := StartReplica(ctx, dir, opts...)
	if err != nil {
		return nil, err
	}
	w := &Watched{pair: pair}
	o := options{binary: collect(opts).binary, sentinel: true}
	o = o.with(
		fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 2", MasterName, pair.Primary.Port()),
		"sentinel down-after-milliseconds "+MasterName+" 1500",
		"sentinel failover-timeout "+MasterName+" 10000",
	)
	for i := range 3 {
		s, err := newServer(ctx, dir, fmt.Sprintf("sentinel-%d", i+1), o)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		w.sentinels = append(w.sentinels, s)
	}
	if err := w.waitAcquainted(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Sentinel is a primary and a replica behind three sentinels, for one test.
func Sentinel(t testing.TB, opts ...Option) *Watched {
	t.Helper()
	return launch(t, StartSentinel, opts)
}

func (w *Watched) waitAcquainted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for _, s := range w.sentinels {
		err := s.do(func(c *redis.Client) error {
			hurry(ctx, c)
			return poll(ctx, func() error {
				return acquainted(ctx, c)
			})
		})
		if err != nil {
			return fmt.Errorf("wait for sentinel %s: %w", s.Addr(), err)
		}
	}
	return nil
}

// hurry shortens a sentinel's periods, where its version can (7.0): otherwise
// it takes up to ten seconds to learn of a new replica and two to learn of
// another sentinel. A version that cannot is only slower.
func hurry(ctx context.Context, c *redis.Client) {
	c.Do(ctx, "SENTINEL", "DEBUG", "INFO-PERIOD", 500, "PUBLISH-PERIOD", 500)
}

func acquainted(ctx context.Context, c *redis.Client) error {
	master, err := c.Do(ctx, "SENTINEL", "MASTER", MasterName).StringSlice()
	if err != nil {
		return err
	}
	if get(master, "num-slaves") != "1" || get(master, "num-other-sentinels") != "2" {
		return errors.New("it does not know all the others")
	}
	replicas, err := c.Do(ctx, "SENTINEL", "REPLICAS", MasterName).Slice()
	if err != nil {
		return err
	}
	for _, r := range replicas {
		var words []string
		for _, w := range r.([]any) {
			words = append(words, fmt.Sprint(w))
		}
		if get(words, "master-link-status") != "ok" {
			return errors.New("it does not see the replica follow")
		}
	}
	return nil
}

// get looks a name up in a flat list of names and values.
func get(flat []string, name string) string {
	for i := 0; i+1 < len(flat); i += 2 {
		if flat[i] == name {
			return flat[i+1]
		}
	}
	return ""
}

// Primary is the server that the first sentinel that answers takes for the
// primary.
func (w *Watched) Primary(ctx context.Context) (*Server, error) {
	var errs []error
	for _, s := range w.sentinels {
		p, err := w.primaryOf(ctx, s)
		if err == nil {
			return p, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("ask for the primary: %w", errors.Join(errs...))
}

func (w *Watched) primaryOf(ctx context.Context, sentinel *Server) (*Server, error) {
	var at []string
	err := sentinel.do(func(c *redis.Client) (err error) {
		at, err = c.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MasterName).StringSlice()
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, s := range w.pair.Servers() {
		if len(at) == 2 && s.Addr() == net.JoinHostPort(at[0], at[1]) {
			return s, nil
		}
	}
	return nil, fmt.Errorf("sentinel %s names %q, which is none of ours", sentinel.Addr(), at)
}

// Replica is the server that is not the primary.
func (w *Watched) Replica(ctx context.Context) (*Server, error) {
	p, err := w.Primary(ctx)
	if err != nil {
		return nil, err
	}
	if p == w.pair.Primary {
		return w.pair.Replica, nil
	}
	return w.pair.Primary, nil
}

// Failover makes the sentinels promote the replica. It returns the new
// primary when every sentinel names it and it takes itself for one. The old
// primary is turned into a replica a little later.
func (w *Watched) Failover(ctx context.Context) (*Server, error) {
	heir, err := w.Replica(ctx)
	if err != nil {
		return nil, err
	}
	err = w.sentinels[0].do(func(c *redis.Client) error {
		return c.Do(ctx, "SENTINEL", "FAILOVER", MasterName).Err()
	})
	if err == nil {
		err = w.WaitPrimary(ctx, heir)
	}
	if err != nil {
		return nil, fmt.Errorf("fail over to %s: %w", heir.Addr(), err)
	}
	return heir, nil
}

// WaitPrimary returns when every sentinel names heir as the primary and it
// takes itself for one: after a Failover, or after the old primary was killed.
func (w *Watched) WaitPrimary(ctx context.Context, heir *Server) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return poll(ctx, func() error {
		for _, s := range w.sentinels {
			p, err := w.primaryOf(ctx, s)
			if err != nil {
				return err
			}
			if p != heir {
				return fmt.Errorf("sentinel %s still names %s", s.Addr(), p.Addr())
			}
		}
		role, err := heir.Role(ctx)
		if err == nil && role != "master" {
			err = fmt.Errorf("%s is a %s", heir.Addr(), role)
		}
		return err
	})
}

func addrs(servers []*Server) []string {
	var list []string
	for _, s := range servers {
		list = append(list, s.Addr())
	}
	return list
}
