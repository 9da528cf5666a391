package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/internal/stores/freeport"
)

// newServer writes a configuration for a server and starts it. Where ports
// cannot be held, somebody may take ours before the server does: then it is
// tried again on others.
func newServer(ctx context.Context, dir, name string, o options) (*Server, error) {
	bin, err := findBinary(o.binary)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		s, err := prepare(bin, filepath.Join(dir, name), o)
		if err != nil {
			return nil, fmt.Errorf("prepare redis server %q: %w", name, err)
		}
		err = s.Start(ctx)
		if err == nil {
			return s, nil
		}
		taken := strings.Contains(s.Log(20), "Address already in use")
		err = errors.Join(err, s.Close())
		if !taken || try == 5 {
			return nil, err
		}
	}
}

func prepare(bin program, dir string, o options) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ports, err := takePorts(bin, slices.Contains(o.conf, clusterOn))
	if err != nil {
		return nil, err
	}
	lines := append(baseConfig(bin, dir, ports, o.sentinel), o.conf...)
	conf := filepath.Join(dir, "redis.conf")
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	_ = os.Remove(filepath.Join(dir, "server.log")) // of an earlier try
	s := &Server{daemon{
		what: "redis server", path: bin.path, args: []string{conf}, dir: dir, ports: ports,
		ready: func(ctx context.Context) bool { return answers(ctx, ports[0].Addr()) },
	}}
	if o.sentinel {
		s.args = append(s.args, "--sentinel")
	}
	return s, nil
}

// takePorts takes the client port and, for a cluster node, the bus port.
// Before Redis 7 the bus port was always 10000 above the other and cannot be
// held apart, so it must at least be a port.
func takePorts(bin program, cluster bool) ([]*freeport.Port, error) {
	var taken []*freeport.Port
	giveBack := func() {
		for _, p := range taken {
			_ = p.Close()
		}
	}
	for range 1000 {
		p, err := freeport.Take()
		if err != nil {
			giveBack()
			return nil, err
		}
		if cluster && bin.major < 7 && p.Number()+10000 > 65535 {
			defer p.Close() // not before the search is over, or it comes again
			continue
		}
		taken = append(taken, p)
		if !cluster || bin.major < 7 || len(taken) == 2 {
			return taken, nil
		}
	}
	return nil, errors.New("every free port is above 55535")
}

func baseConfig(bin program, dir string, ports []*freeport.Port, sentinel bool) []string {
	lines := []string{
		"bind 127.0.0.1",
		"port " + strconv.Itoa(ports[0].Number()),
		"protected-mode no",
		"daemonize no",
		"dir " + strconv.Quote(dir),
	}
	if sentinel {
		return lines
	}
	lines = append(lines, `save ""`, "appendonly no")
	if bin.major >= 7 {
		lines = append(lines, "enable-debug-command yes")
		if len(ports) == 2 {
			lines = append(lines, "cluster-port "+strconv.Itoa(ports[1].Number()))
		}
	}
	return lines
}

// Deployment is what every Start function returns.
type Deployment interface {
	Servers() []*Server
	Close() error
}

// closeAll closes what was started so far, after an error.
func closeAll(servers []*Server) error {
	var err error
	for _, s := range servers {
		err = errors.Join(err, s.Close())
	}
	return err
}

// launch is the form for tests of a Start function for Redis.
func launch[D Deployment](t testing.TB, start func(context.Context, string, ...Option) (D, error), opts []Option) D {
	t.Helper()
	return forTest(t, func(ctx context.Context, dir string) (D, error) {
		return start(ctx, dir, opts...)
	}, func(d D) []logged {
		var list []logged
		for _, s := range d.Servers() {
			list = append(list, s)
		}
		return list
	})
}

// logged is a server that has something to show when its test fails.
type logged interface {
	Addr() string
	Log(lines int) string
}

// forTest starts something in a folder of the test's, and closes it with the
// test.
func forTest[D interface{ Close() error }](
	t testing.TB, start func(context.Context, string) (D, error), servers func(D) []logged,
) D {
	t.Helper()
	d, err := start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("stores: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, s := range servers(d) {
				t.Logf("log of %s ends with:\n%s", s.Addr(), s.Log(20))
			}
		}
		if err := d.Close(); err != nil {
			t.Errorf("stores: %v", err)
		}
	})
	return d
}
