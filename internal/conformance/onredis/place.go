package onredis

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/internal/conformance"
	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// Place is a deployment and a way to use it.
type Place struct {
	rdb     redis.UniversalClient
	opts    []rediscore.Option
	nodes   []*redis.Client // every server that may hold keys, to look at
	sharded bool            // has sharded pub/sub
}

// Row is a place by its name. Place starts it, for one test and its subtests.
type Row struct {
	Name  string
	Place func(t *testing.T) *Place
}

// Rows is every place a recipe should be at home in.
func Rows() []Row {
	return []Row{
		{"single", single},
		{"sentinel", sentinel},
		{"cluster", cluster},
		{"cluster, plain signals", signals(rediscore.Plain, cluster)},
		{"cluster, both signals", signals(rediscore.Both, cluster)},
		{"no signals", signals(rediscore.Off, single)},
		{"acknowledged", acknowledged},
		{"miniredis", mini},
	}
}

// Subject is s at this place.
func (p *Place) Subject(s conformance.Subject, lockers MakeLocker) conformance.Subject {
	s.New = func(t *testing.T, lease time.Duration) conformance.Deployment { return p.clients(t, lease, lockers) }
	return s
}

func (p *Place) clients(t *testing.T, lease time.Duration, lockers MakeLocker) *deployment {
	d := &deployment{place: p, make: lockers, waits: make(map[string]int)}
	for i := range conformance.Clients {
		opts := append([]rediscore.Option{rediscore.WithObserver(d), rediscore.WithWatchdogLease(conformance.Calm)}, p.opts...)
		if i == 0 {
			opts = append(opts, rediscore.WithWatchdogLease(lease))
		}
		c, err := goredis.New(p.rdb, opts...)
		require.NoError(t, err)
		d.clients = append(d.clients, c)
	}
	t.Cleanup(d.closeAll)
	return d
}

func newPlace(t *testing.T, rdb redis.UniversalClient, servers ...*stores.Server) *Place {
	p := &Place{rdb: rdb, sharded: true}
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	for _, s := range servers {
		p.nodes = append(p.nodes, s.Client(t))
	}
	return p
}

func single(t *testing.T) *Place {
	s := stores.Single(t)
	return newPlace(t, redis.NewClient(&redis.Options{Addr: s.Addr()}), s)
}

func sentinel(t *testing.T) *Place {
	w := stores.Sentinel(t)
	primary, err := w.Primary(t.Context())
	require.NoError(t, err)
	return newPlace(t, redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: stores.MasterName, SentinelAddrs: w.SentinelAddrs(),
	}), primary)
}

func cluster(t *testing.T) *Place {
	n := stores.Cluster(t)
	return newPlace(t, redis.NewClusterClient(&redis.ClusterOptions{Addrs: n.Addrs()}), n.Primaries()...)
}

// acknowledged: every grant is confirmed by a replica.
func acknowledged(t *testing.T) *Place {
	pair := stores.Replica(t)
	p := newPlace(t, redis.NewClient(&redis.Options{Addr: pair.Primary.Addr()}), pair.Primary)
	p.opts = append(p.opts, rediscore.WithReplicas(1))
	return p
}

func signals(how rediscore.Signals, at func(t *testing.T) *Place) func(t *testing.T) *Place {
	return func(t *testing.T) *Place {
		p := at(t)
		p.opts = append(p.opts, rediscore.WithSignals(how))
		return p
	}
}

// mini is the server that users have in their unit tests. Its clock stands
// still unless it is moved on: by little at a time, since that shortens keys
// which are younger than the step, and no step may be as long as a margin.
func mini(t *testing.T) *Place {
	s := miniredis.RunT(t)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case now := <-tick.C:
				s.FastForward(min(now.Sub(last), 10*time.Millisecond))
				last = now
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() { close(done); <-ended })
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr()})
	p := newPlace(t, rdb)
	p.sharded = false
	p.nodes = append(p.nodes, rdb)
	return p
}
