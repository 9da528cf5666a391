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

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/holdfast-go/holdfast/internal/stores/freeport"
)

// Server is one Redis server or sentinel. Its address never changes, also
// while it is down. Its methods may be called from several goroutines.
type Server struct {
	bin   binary
	args  []string
	dir   string
	ports []*freeport.Port

	mu   sync.Mutex
	proc *process // nil before the first start
}

// Addr is "127.0.0.1:port".
func (s *Server) Addr() string { return s.ports[0].Addr() }

// Port is the port alone.
func (s *Server) Port() int { return s.ports[0].Number() }

// Dir is the folder with its configuration, data and log.
func (s *Server) Dir() string { return s.dir }

// Pid is the number of the running process, 0 when it is down.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil || s.proc.ended() {
		return 0
	}
	return s.proc.pid()
}

// Start starts a server that is down, on its old address and with the data
// it left on disk, and returns when it answers.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil && !s.proc.ended() {
		return fmt.Errorf("start redis server %s: it is running", s.Addr())
	}
	if err := s.start(ctx); err != nil {
		return fmt.Errorf("start redis server %s: %w", s.Addr(), err)
	}
	return nil
}

func (s *Server) start(ctx context.Context) error {
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own
	p, err := spawn(s.bin.path, s.args, s.dir, log)
	if err != nil {
		return err
	}
	s.proc = p
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := waitReady(ctx, s.Addr(), p.done); err != nil {
		return errors.Join(fmt.Errorf("%w; its log ends with:\n%s", err, s.Log(20)), p.kill())
	}
	return nil
}

// startLimit is for a loaded machine; a server is normally up in 50 ms.
const startLimit = 30 * time.Second

// Restart ends the server in an orderly way if it runs, and starts it again.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.Start(ctx)
}

// Stop ends the server in an orderly way: it saves what it is set to save.
func (s *Server) Stop() error {
	return s.end("stop", func(p *process) error { return p.stop(5 * time.Second) })
}

// Kill ends the server at once, like a crash. It returns when it is gone.
func (s *Server) Kill() error { return s.end("kill", (*process).kill) }

func (s *Server) end(verb string, how func(*process) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return nil
	}
	if err := how(s.proc); err != nil {
		return fmt.Errorf("%s redis server %s: %w", verb, s.Addr(), err)
	}
	return nil
}

// Pause freezes the process: connections stay open and nothing answers.
func (s *Server) Pause() error { return s.signal("pause", syscall.SIGSTOP) }

// Resume lets a paused process run on.
func (s *Server) Resume() error { return s.signal("resume", syscall.SIGCONT) }

func (s *Server) signal(verb string, sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil || s.proc.ended() {
		return fmt.Errorf("%s redis server %s: it is down", verb, s.Addr())
	}
	return s.proc.signal(sig)
}

// Close kills the server and gives its ports back. Its folder stays.
func (s *Server) Close() error {
	err := s.Kill()
	for _, p := range s.ports {
		err = errors.Join(err, p.Close())
	}
	return err
}

// Servers is the server alone.
func (s *Server) Servers() []*Server { return []*Server{s} }

// Log is the last lines that the server wrote.
func (s *Server) Log(lines int) string {
	b, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (s *Server) logPath() string { return filepath.Join(s.dir, "server.log") }
