// Command stores starts a Redis or ZooKeeper deployment on free loopback ports,
// prints its addresses, and stops it on an interrupt or SIGTERM.
//
//	go run ./internal/stores/cmd/stores cluster --replicas
//	go run ./internal/stores/cmd/stores ensemble --version 3.9.5
//
// Each server is one line, "role address"; "ready" follows the last.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/holdfast-go/holdfast/internal/stores"
)

type cli struct {
	Kind     string   `arg:"" enum:"single,replica,sentinel,cluster,independent,zookeeper,ensemble" help:"For Redis single, replica, sentinel, cluster or independent; zookeeper; or ensemble, of three ZooKeeper servers."`
	Count    int      `default:"5" help:"How many independent servers."`
	Replicas bool     `help:"One replica for each primary of a cluster."`
	Binary   string   `help:"Redis server program; by default the one in HOLDFAST_REDIS_SERVER or in PATH."`
	Version  string   `help:"ZooKeeper's version; by default the one in HOLDFAST_ZOOKEEPER or the distribution's."`
	Config   []string `sep:"none" help:"A line for redis.conf or zoo.cfg; may be repeated."`
}

func main() {
	var c cli
	k := kong.Parse(&c, kong.Name("stores"), kong.Description("Start Redis or ZooKeeper servers until interrupted."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.FatalIfErrorf(c.run(ctx, os.Stdout))
}

func (c *cli) run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "holdfast-stores-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // the servers are gone by then
	d, err := c.start(ctx, dir)
	if err != nil {
		return err
	}
	for _, s := range d.servers {
		fmt.Fprintf(out, "%-11s %s\n", s.role, s.addr)
	}
	fmt.Fprintln(out, "ready")
	<-ctx.Done()
	return d.close()
}

// started is a deployment as this command shows it.
type started struct {
	servers []server
	close   func() error
}

type server struct{ role, addr string }

func (c *cli) start(ctx context.Context, dir string) (started, error) {
	opts := []stores.Option{stores.WithConfig(c.Config...), stores.WithBinary(c.Binary), stores.WithVersion(c.Version)}
	if c.Replicas {
		opts = append(opts, stores.WithReplicas())
	}
	switch c.Kind {
	case "zookeeper":
		s, err := stores.StartZooKeeper(ctx, dir, opts...)
		if err != nil {
			return started{}, err
		}
		return zooKeeper(ctx, []*stores.ZooServer{s}, s.Close)
	case "ensemble":
		e, err := stores.StartEnsemble(ctx, dir, opts...)
		if err != nil {
			return started{}, err
		}
		return zooKeeper(ctx, e.Servers(), e.Close)
	default:
		return c.redis(ctx, dir, opts)
	}
}

// zooKeeper tells of each server what it is now; of an ensemble that may change.
func zooKeeper(ctx context.Context, servers []*stores.ZooServer, end func() error) (started, error) {
	d := started{close: end}
	for _, s := range servers {
		mode, err := s.Mode(ctx)
		if err != nil {
			return d, errors.Join(err, end())
		}
		d.servers = append(d.servers, server{mode, s.Addr()})
	}
	return d, nil
}
