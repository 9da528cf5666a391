// Package stores starts real servers for tests, demonstrations and
// benchmarks. Redis: a single server, a primary with a replica, the same behind
// sentinels, a cluster, or several independent servers. ZooKeeper: a single
// server or an ensemble of three.
//
// Every server listens on a loopback port of its own, keeps its data in a
// folder of its own, writes nothing else to disk (Redis: nothing at all unless
// asked to), and ends with the process that started it. A test calls Single,
// Replica, Sentinel, Cluster, Independent, ZooKeeper or Ensemble and has
// nothing to stop; a command calls StartSingle and its like, and Close. A test
// package whose tests can share a server has
//
//	func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }
//
// and calls Shared or SharedZooKeeper.
package stores

// Server is one Redis server or sentinel. Its address never changes, also
// while it is down. Its methods may be called from several goroutines.
type Server struct {
	daemon
}

// Servers is the server alone.
func (s *Server) Servers() []*Server { return []*Server{s} }
