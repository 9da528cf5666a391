package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// server is the store of the commands that are about a lock of the user's.
type server struct {
	Redis []string `env:"HOLDFAST_REDIS" default:"127.0.0.1:6379" placeholder:"ADDR" help:"Where Redis is (host:port). Several with --cluster or --sentinel-master."`
	connection
}

// connection is how to talk to Redis, wherever it is.
type connection struct {
	Username       string `help:"User to log in as. The password is taken from the environment: REDIS_PASSWORD."`
	TLS            bool   `name:"tls" help:"Encrypt the connection, and check the server's certificate."`
	DB             int    `name:"db" default:"0" placeholder:"N" help:"Number of the database."`
	Cluster        bool   `help:"It is a Redis Cluster; the addresses are nodes of it."`
	SentinelMaster string `placeholder:"NAME" help:"The addresses are sentinels; this is what they call the primary."`
	Namespace      string `placeholder:"PREFIX" help:"Text in front of every name in the store."`
}

// store is a connection to where the locks are: an identity of its own, as
// another process has.
type store struct {
	redis *rediscore.Client
	db    redis.UniversalClient
	where string
}

// open does no I/O.
func (c *connection) open(addrs []string, opts ...rediscore.Option) (*store, error) {
	o, err := c.options(addrs)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	db := redis.NewUniversalClient(o)
	if c.Namespace != "" {
		opts = append(opts, rediscore.WithNamespace(c.Namespace))
	}
	core, err := goredis.New(db, opts...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &store{redis: core, db: db, where: c.where(o.Addrs)}, nil
}

func (c *connection) options(addrs []string) (*redis.UniversalOptions, error) {
	switch {
	case c.Cluster && c.SentinelMaster != "":
		return nil, errors.New("--cluster and --sentinel-master do not go together")
	case c.Cluster && c.DB != 0:
		return nil, errors.New("a cluster has no --db but 0")
	case len(addrs) > 1 && !c.Cluster && c.SentinelMaster == "":
		return nil, errors.New("several addresses need --cluster or --sentinel-master")
	}
	o := &redis.UniversalOptions{
		Username:              c.Username,
		Password:              os.Getenv("REDIS_PASSWORD"),
		DB:                    c.DB,
		MasterName:            c.SentinelMaster,
		IsClusterMode:         c.Cluster,
		ContextTimeoutEnabled: true,
		// What a lock protects must not be written again after the lock is gone.
		MaxRetries:               -1,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if c.TLS {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	for _, a := range addrs {
		a, err := c.address(a)
		if err != nil {
			return nil, err
		}
		o.Addrs = append(o.Addrs, a)
	}
	return o, nil
}

// address puts the usual port to a host without one. A path is a Unix socket.
func (c *connection) address(a string) (string, error) {
	if strings.HasPrefix(a, "/") {
		return a, nil
	}
	if !strings.Contains(a, ":") && a != "" {
		port := "6379"
		if c.SentinelMaster != "" {
			port = "26379"
		}
		return net.JoinHostPort(a, port), nil
	}
	host, port, err := net.SplitHostPort(a)
	if err == nil && (host == "" || port == "") {
		err = errors.New("host or port is missing")
	}
	if err != nil {
		return "", fmt.Errorf("--redis %q is no host:port: %w", a, err)
	}
	return a, nil
}

func (c *connection) where(addrs []string) string {
	list := strings.Join(addrs, ", ")
	switch {
	case c.Cluster:
		return "Redis Cluster at " + list
	case c.SentinelMaster != "":
		return fmt.Sprintf("Redis %q, as named by the sentinels at %s", c.SentinelMaster, list)
	}
	return "Redis at " + list
}

// close waits, until ctx ends, for what is being cleaned up behind calls that
// have left.
func (s *store) close(ctx context.Context) error {
	return errors.Join(s.redis.Close(ctx), s.db.Close())
}

// silence is a logger.
type silence struct{}

// Printf is what the driver calls.
func (silence) Printf(context.Context, string, ...any) {}
