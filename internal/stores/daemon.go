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

// daemon is one server program with a loopback address and a folder of its
// own. The address never changes, also while it is down. Its methods may be
// called from several goroutines.
type daemon struct {
	what  string // for messages: "redis server"
	path  string // of the program
	args  []string
	dir   string
	ports []*freeport.Port // the first is the one for clients
	ready func(context.Context) bool

	mu   sync.Mutex
	proc *process // nil before the first start
}

// Addr is "127.0.0.1:port".
func (d *daemon) Addr() string { return d.ports[0].Addr() }

// Port is the port alone.
func (d *daemon) Port() int { return d.ports[0].Number() }

// Dir is the folder with its configuration, data and log.
func (d *daemon) Dir() string { return d.dir }

// Pid is the number of the running process, 0 when it is down.
func (d *daemon) Pid() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.proc == nil || d.proc.ended() {
		return 0
	}
	return d.proc.pid()
}

// Start starts a server that is down, on its old address and with the data
// it left on disk, and returns when it answers.
func (d *daemon) Start(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.proc != nil && !d.proc.ended() {
		return fmt.Errorf("start %s %s: it is running", d.what, d.Addr())
	}
	if err := d.start(ctx); err != nil {
		return fmt.Errorf("start %s %s: %w", d.what, d.Addr(), err)
	}
	return nil
}

func (d *daemon) start(ctx context.Context) error {
	log, err := os.OpenFile(d.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the child has its own
	p, err := spawn(d.path, d.args, d.dir, log)
	if err != nil {
		return err
	}
	d.proc = p
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := waitReady(ctx, d.ready, p.done); err != nil {
		return errors.Join(fmt.Errorf("%w; its log ends with:\n%s", err, d.Log(20)), p.kill())
	}
	return nil
}

// startLimit is for a loaded machine; Redis is normally up in 50 ms, ZooKeeper
// in a second.
const startLimit = 30 * time.Second

// Restart ends the server in an orderly way if it runs, and starts it again.
func (d *daemon) Restart(ctx context.Context) error {
	if err := d.Stop(); err != nil {
		return err
	}
	return d.Start(ctx)
}

// Stop ends the server in an orderly way: it saves what it is set to save.
func (d *daemon) Stop() error {
	return d.end("stop", func(p *process) error { return p.stop(5 * time.Second) })
}

// Kill ends the server at once, like a crash. It returns when it is gone.
func (d *daemon) Kill() error { return d.end("kill", (*process).kill) }

func (d *daemon) end(verb string, how func(*process) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.proc == nil {
		return nil
	}
	if err := how(d.proc); err != nil {
		return fmt.Errorf("%s %s %s: %w", verb, d.what, d.Addr(), err)
	}
	return nil
}

// Pause freezes the process: connections stay open and nothing answers.
func (d *daemon) Pause() error { return d.signal("pause", syscall.SIGSTOP) }

// Resume lets a paused process run on.
func (d *daemon) Resume() error { return d.signal("resume", syscall.SIGCONT) }

func (d *daemon) signal(verb string, sig syscall.Signal) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.proc == nil || d.proc.ended() {
		return fmt.Errorf("%s %s %s: it is down", verb, d.what, d.Addr())
	}
	return d.proc.signal(sig)
}

// Close kills the server and gives its ports back. Its folder stays.
func (d *daemon) Close() error {
	err := d.Kill()
	for _, p := range d.ports {
		err = errors.Join(err, p.Close())
	}
	return err
}

// Log is the last lines that the server wrote.
func (d *daemon) Log(lines int) string {
	b, err := os.ReadFile(d.logPath())
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (d *daemon) logPath() string { return filepath.Join(d.dir, "server.log") }
