package interop_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdfast-go/holdfast/internal/stores"
	"github.com/holdfast-go/holdfast/interop/internal/peer"
	"github.com/holdfast-go/holdfast/rediscore"
)

// site is a deployment: how each language gets there, and how its releases are
// heard.
type site struct {
	settings peer.Redisson
	open     func() redis.UniversalClient
	signals  rediscore.Signals
	nodes    []*redis.Client // each server, to ask for its subscribers
}

func onServer(t *testing.T, _ string) site {
	server := stores.Single(t)
	return site{
		settings: peer.Redisson{Addrs: []string{server.Addr()}},
		open:     func() redis.UniversalClient { return redis.NewClient(&redis.Options{Addr: server.Addr()}) },
		nodes:    clients(t, server),
	}
}

func onSentinel(t *testing.T, _ string) site {
	watched := stores.Sentinel(t)
	return site{
		settings: peer.Redisson{Mode: peer.Sentinel, Addrs: watched.SentinelAddrs(), Master: stores.MasterName},
		open: func() redis.UniversalClient {
			return redis.NewFailoverClient(&redis.FailoverOptions{
				MasterName: stores.MasterName, SentinelAddrs: watched.SentinelAddrs(),
			})
		},
		nodes: clients(t, watched.Servers()[:2]...), // the sentinels come last
	}
}

// onCluster has the signals that the documentation asks for beside that Redisson.
func onCluster(t *testing.T, redisson string) site {
	nodes := stores.Cluster(t)
	s := site{
		settings: peer.Redisson{Mode: peer.Cluster, Addrs: nodes.Addrs()},
		open: func() redis.UniversalClient {
			return redis.NewClusterClient(&redis.ClusterOptions{Addrs: nodes.Addrs()})
		},
		signals: rediscore.Auto,
		nodes:   clients(t, nodes.Servers()...),
	}
	switch {
	case !atLeast(redisson, 3, 22):
		s.signals = rediscore.Plain
	case !atLeast(redisson, 3, 28):
		// These find out by trial whether the servers know sharded signals, and
		// are sometimes wrong about it.
		s.signals = rediscore.Both
	}
	return s
}

// onClusterBothWays is a fleet in which some Redissons hear only plain signals
// and others only sharded ones.
func onClusterBothWays(t *testing.T, redisson string) site {
	s := onCluster(t, redisson)
	s.signals = rediscore.Both
	return s
}

func clients(t *testing.T, servers ...*stores.Server) []*redis.Client {
	all := make([]*redis.Client, len(servers))
	for i, s := range servers {
		all[i] = s.Client(t)
	}
	return all
}
