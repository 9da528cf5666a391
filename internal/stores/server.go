// Package stores starts real Redis servers for tests, demonstrations and
// benchmarks: a single server, a primary with a replica, the same behind
// sentinels, a cluster, or several independent servers.
//
// Every server listens on a loopback port of its own, keeps its data in a
// folder of its own, writes nothing to disk unless asked to, and ends with
// the process that started it. A test calls Single, Replica, Sentinel, Cluster
// or Independent and has nothing to stop; a command calls StartSingle and its
// like, and Close. A test package whose tests can share a server has
//
//	func TestMain(m *testing.M) { os.Exit(stores.Main(m)) }
//
// and calls Shared.
package stores

// Server is one Redis server or sentinel. Its address never changes, also
// while it is down. Its methods may be called from several goroutines.
type Server struct {
	daemon
}

// Servers is the server alone.
func (s *Server) Servers() []*Server { return []*Server{s} }
