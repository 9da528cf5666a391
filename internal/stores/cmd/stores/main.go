// Command stores starts a Redis deployment on free loopback ports, prints its
// addresses, and stops it on an interrupt or SIGTERM.
//
//	go run ./internal/stores/cmd/stores cluster --replicas
//
// Each server is one line, "role address"; "ready" follows the last.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/holdfast-go/holdfast/internal/stores"
)

type cli struct {
	Kind     string   `arg:"" enum:"single,replica,sentinel,cluster,independent" help:"single, replica, sentinel, cluster or independent."`
	Count    int      `default:"5" help:"How many independent servers."`
	Replicas bool     `help:"One replica for each primary of a cluster."`
	Binary   string   `help:"Server program; by default the one in HOLDFAST_REDIS_SERVER or in PATH."`
	Config   []string `sep:"none" help:"A line for redis.conf; may be repeated."`
}

func main() {
	var c cli
	k := kong.Parse(&c, kong.Name("stores"), kong.Description("Start Redis servers until interrupted."))
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
	d, names, err := c.start(ctx, dir)
	if err != nil {
		return err
	}
	for i, s := range d.Servers() {
		fmt.Fprintf(out, "%-11s %s\n", names(i), s.Addr())
	}
	fmt.Fprintln(out, "ready")
	<-ctx.Done()
	return d.Close()
}

// start also tells what the i-th server is.
func (c *cli) start(ctx context.Context, dir string) (stores.Deployment, func(int) string, error) {
	opts := []stores.Option{stores.WithConfig(c.Config...), stores.WithBinary(c.Binary)}
	if c.Replicas {
		opts = append(opts, stores.WithReplicas())
	}
	switch c.Kind {
	case "replica":
		d, err := stores.StartReplica(ctx, dir, opts...)
		return d, roles(1, 1), err
	case "sentinel":
		d, err := stores.StartSentinel(ctx, dir, opts...)
		return d, roles(1, 1), err
	case "cluster":
		d, err := stores.StartCluster(ctx, dir, opts...)
		return d, roles(3, 3), err
	case "independent":
		d, err := stores.StartIndependent(ctx, dir, c.Count, opts...)
		return d, roles(c.Count, 0), err
	default:
		d, err := stores.StartSingle(ctx, dir, opts...)
		return d, roles(1, 0), err
	}
}

// roles names the servers in the order in which a deployment lists them.
func roles(primaries, replicas int) func(int) string {
	return func(i int) string {
		switch {
		case i < primaries:
			return "primary"
		case i < primaries+replicas:
			return "replica"
		default:
			return "sentinel"
		}
	}
}
