package main

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/stores"
)

func (c *cli) redis(ctx context.Context, dir string, opts []stores.Option) (started, error) {
	d, names, err := c.startRedis(ctx, dir, opts)
	if err != nil {
		return started{}, err
	}
	all := started{close: d.Close}
	for i, s := range d.Servers() {
		all.servers = append(all.servers, server{names(i), s.Addr()})
	}
	return all, nil
}

// startRedis also tells what the i-th server is.
func (c *cli) startRedis(ctx context.Context, dir string, opts []stores.Option) (stores.Deployment, func(int) string, error) {
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
