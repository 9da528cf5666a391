package stores

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores/links"
)

const voters = 3

// ZooEnsemble is three ZooKeeper servers, two of which are a quorum.
type ZooEnsemble struct {
	servers []*ZooServer
	links   *links.Net
}

// Servers are the three servers.
func (e *ZooEnsemble) Servers() []*ZooServer { return e.servers }

// Addrs are their addresses for clients.
func (e *ZooEnsemble) Addrs() []string {
	var list []string
	for _, s := range e.servers {
		list = append(list, s.Addr())
	}
	return list
}

// Close kills them all.
func (e *ZooEnsemble) Close() error {
	var err error
	for _, s := range e.servers {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, e.links.Close())
}

// StartEnsemble starts an ensemble with its files under dir, and returns when
// all three servers serve.
func StartEnsemble(ctx context.Context, dir string, opts ...Option) (*ZooEnsemble, error) {
	o := collect(opts)
	for try := 1; ; try++ {
		e, err := newEnsemble(ctx, dir, o)
		if err != nil {
			return nil, fmt.Errorf("prepare zookeeper ensemble: %w", err)
		}
		err = e.Start(ctx)
		if err == nil {
			return e, nil
		}
		taken := strings.Contains(err.Error(), "Address already in use")
		err = errors.Join(err, e.Close())
		if !taken || try == 5 {
			return nil, err
		}
	}
}

// inTests bounds how many ensembles the tests of a package run at once: three
// Java machines each are a lot for a small computer.
var inTests = make(chan struct{}, 2)

// Ensemble is an ensemble, for one test.
func Ensemble(t testing.TB, opts ...Option) *ZooEnsemble {
	t.Helper()
	inTests <- struct{}{}
	t.Cleanup(func() { <-inTests }) // runs after the one that closes it
	start := func(ctx context.Context, dir string) (*ZooEnsemble, error) {
		return StartEnsemble(ctx, dir, opts...)
	}
	return forTest(t, start, func(e *ZooEnsemble) []logged {
		var list []logged
		for _, s := range e.servers {
			list = append(list, s)
		}
		return list
	})
}

// newEnsemble configures three servers that dial each other through links.
func newEnsemble(ctx context.Context, dir string, o options) (*ZooEnsemble, error) {
	e := &ZooEnsemble{links: links.New()}
	var peers []string
	for id := 1; id <= voters; id++ {
		s, err := newZoo(ctx, filepath.Join(dir, fmt.Sprintf("zookeeper-%d", id)), id, o)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.servers = append(e.servers, s)
		quorum, election := s.ports[quorumPort].Number(), s.ports[electionPort].Number()
		peers = append(peers, fmt.Sprintf("server.%d=127.0.0.1:%d:%d", id, quorum, election))
		proxy, err := e.links.Join(id, quorum, election)
		if err == nil {
			s.args, err = dialThrough(proxy, s.args)
		}
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	// A server takes the leader for gone after syncLimit ticks of silence.
	peers = append(peers, "initLimit=25", "syncLimit=10")
	for _, s := range e.servers {
		err := os.WriteFile(filepath.Join(s.dir, "data", "myid"), []byte(strconv.Itoa(s.id)), 0o600)
		if err == nil {
			err = s.configure(o, peers...)
		}
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	return e, nil
}

// dialThrough sends whatever the server dials through a proxy, loopback
// addresses included, and keeps its pauses between attempts short, so that a
// mended link is soon in use.
func dialThrough(proxy string, args []string) ([]string, error) {
	host, port, err := net.SplitHostPort(proxy)
	return append([]string{
		"-DsocksProxyHost=" + host, "-DsocksProxyPort=" + port, "-DsocksNonProxyHosts=",
		"-Dzookeeper.cnxTimeout=2000",
		"-Dzookeeper.fastleader.maxNotificationInterval=1000",
	}, args...), err
}

// Start starts the servers that are down, together: none can serve before two
// of them run.
func (e *ZooEnsemble) Start(ctx context.Context) error {
	return e.together(func(s *ZooServer) error {
		if s.Pid() != 0 {
			return nil
		}
		return s.Start(ctx)
	})
}

// together does something with every server at the same time.
func (e *ZooEnsemble) together(do func(*ZooServer) error) error {
	errs := make([]error, len(e.servers))
	var all sync.WaitGroup
	for i, s := range e.servers {
		all.Go(func() { errs[i] = do(s) })
	}
	all.Wait()
	return errors.Join(errs...)
}
