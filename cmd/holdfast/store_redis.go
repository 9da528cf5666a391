package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/rediscore"
	"github.com/holdfast-go/holdfast/rediscore/goredis"
)

// redisFlags mean nothing on ZooKeeper.
type redisFlags struct {
	Username       string `group:"redis" help:"User to log in as. The password is taken from the environment: REDIS_PASSWORD."`
	DB             int    `group:"redis" name:"db" default:"0" placeholder:"N" help:"Number of the database."`
	Cluster        bool   `group:"redis" help:"It is a Redis Cluster; the addresses are nodes of it."`
	SentinelMaster string `group:"redis" placeholder:"NAME" help:"The addresses are sentinels; this is what they call the primary."`
}

type redisStore struct {
	client    *rediscore.Client
	db        redis.UniversalClient
	namespace string
	where     string
}

func (c *connection) redis(addrs []string, s survival) (store, error) {
	if s.session != nil {
		return nil, errors.New("--session-timeout is for --zk; on Redis it is --watchdog-lease")
	}
	o, err := c.redisOptions(addrs)
	if err != nil {
		return nil, err
	}
	var opts []rediscore.Option
	if s.lease != nil {
		opts = append(opts, rediscore.WithWatchdogLease(*s.lease))
	}
	if c.Namespace != "" {
		opts = append(opts, rediscore.WithNamespace(c.Namespace))
	}
	db := redis.NewUniversalClient(o)
	client, err := goredis.New(db, opts...)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &redisStore{client: client, db: db, namespace: c.Namespace, where: c.redisAt(o.Addrs)}, nil
}

func (c *connection) redisOptions(addrs []string) (*redis.UniversalOptions, error) {
	switch {
	case given(c.zkFlags):
		return nil, errors.New("--zk-auth and --zk-acl need --zk")
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
	var err error
	if o.TLSConfig, err = c.tlsConfig(); err != nil {
		return nil, err
	}
	for _, a := range addrs {
		a, err := c.redisAddress(a)
		if err != nil {
			return nil, err
		}
		o.Addrs = append(o.Addrs, a)
	}
	return o, nil
}

// redisAddress is an address with its port, or a path, which is a Unix socket.
func (c *connection) redisAddress(a string) (string, error) {
	switch {
	case strings.HasPrefix(a, "/"):
		return a, nil
	case c.SentinelMaster != "":
		return hostPort("--redis", a, "26379")
	}
	return hostPort("--redis", a, "6379")
}

func (c *connection) redisAt(addrs []string) string {
	list := strings.Join(addrs, ", ")
	switch {
	case c.Cluster:
		return "Redis Cluster at " + list
	case c.SentinelMaster != "":
		return fmt.Sprintf("Redis %q, as named by the sentinels at %s", c.SentinelMaster, list)
	}
	return "Redis at " + list
}

func (s *redisStore) String() string { return s.where }

func (s *redisStore) open(context.Context) error { return nil }

func (s *redisStore) reach(ctx context.Context) error { return s.db.Ping(ctx).Err() }

func (s *redisStore) lock(k kind, name string, _ func(*recipes.Hold)) recipes.Locker {
	return k.redis(s.client, name)
}

// details: a Status has it all.
func (s *redisStore) details(context.Context, kind, recipes.Status) (map[string]detail, error) {
	return nil, nil
}

func (s *redisStore) close(ctx context.Context) error {
	return errors.Join(s.client.Close(ctx), s.db.Close())
}

// silence is a logger.
type silence struct{}

// Printf is what the driver calls.
func (silence) Printf(context.Context, string, ...any) {}
