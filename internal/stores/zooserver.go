package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores/freeport"
)

// ZooServer is one ZooKeeper server, alone or of an ensemble. Its address
// never changes and its data stays, also while it is down.
type ZooServer struct {
	daemon
	id  int // in its ensemble, from 1
	tls bool
}

// ID is the server's number in its ensemble, from 1.
func (s *ZooServer) ID() int { return s.id }

// StartZooKeeper starts one server that is no part of an ensemble, with its
// files under dir.
func StartZooKeeper(ctx context.Context, dir string, opts ...Option) (*ZooServer, error) {
	o := collect(opts)
	for try := 1; ; try++ {
		s, err := newZoo(ctx, filepath.Join(dir, "zookeeper"), 1, o)
		if err != nil {
			return nil, fmt.Errorf("prepare zookeeper server: %w", err)
		}
		err = s.configure(o)
		if err == nil {
			err = s.Start(ctx)
		}
		if err == nil {
			return s, nil
		}
		taken := strings.Contains(s.Log(50), "Address already in use")
		err = errors.Join(err, s.Close())
		if !taken || try == 5 {
			return nil, err
		}
	}
}

// ZooKeeper is one ZooKeeper server, for one test.
func ZooKeeper(t testing.TB, opts ...Option) *ZooServer {
	t.Helper()
	start := func(ctx context.Context, dir string) (*ZooServer, error) {
		return StartZooKeeper(ctx, dir, opts...)
	}
	return forTest(t, start, func(s *ZooServer) []logged { return []logged{s} })
}

// newZoo is a server that has its ports and its command, and no configuration.
func newZoo(ctx context.Context, dir string, id int, o options) (*ZooServer, error) {
	java, err := zooJava()
	if err != nil {
		return nil, err
	}
	jars, err := zooJars(ctx, o.version)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return nil, err
	}
	_ = os.Remove(filepath.Join(dir, "server.log")) // of an earlier try
	s := &ZooServer{daemon: daemon{what: "zookeeper server", path: java, dir: dir}, id: id, tls: o.tls}
	for range zooPorts {
		p, err := freeport.Take()
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.ports = append(s.ports, p)
	}
	s.args = zooCommand(jars, s.confPath(), o)
	s.ready = s.serves
	return s, nil
}

// The ports of a server, in the order of daemon.ports.
const (
	clientPort = iota
	quorumPort
	electionPort
	securePort
	zooPorts
)

func (s *ZooServer) confPath() string { return filepath.Join(s.dir, "zoo.cfg") }

// configure writes zoo.cfg; peers are the lines about an ensemble.
func (s *ZooServer) configure(o options, peers ...string) error {
	lines := append(zooConfig(s, o), peers...)
	if s.tls {
		secure, err := s.tlsConfig()
		if err != nil {
			return err
		}
		lines = append(lines, secure...)
	}
	lines = append(lines, o.conf...)
	return os.WriteFile(s.confPath(), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
