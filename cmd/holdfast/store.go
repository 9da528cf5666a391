package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// server is the store of the commands that are about a lock of the user's.
type server struct {
	Redis []string `placeholder:"ADDR" help:"Where Redis is (host:port; $$HOLDFAST_REDIS), 127.0.0.1:6379 when nothing is said. Several with --cluster or --sentinel-master."`
	ZK    []string `name:"zk" placeholder:"ADDR" help:"Where ZooKeeper is, in place of Redis (host:port; $$HOLDFAST_ZK). Several are servers of one ensemble."`
	connection
}

// connection is how to talk to the store, wherever it is.
type connection struct {
	Namespace string `placeholder:"PREFIX" help:"Text in front of every name in the store; on ZooKeeper a path."`
	tlsFlags
	redisFlags
	zkFlags
}

// The two systems that locks can be in.
const (
	onRedis     = "Redis"
	onZooKeeper = "ZooKeeper"
)

// target is the servers of one system.
type target struct {
	system string
	addrs  []string
}

const usualRedis = "127.0.0.1:6379"

// target is where the flags say, or else the environment.
func (c *server) target() (target, error) {
	r, z := c.Redis, c.ZK
	if len(r)+len(z) == 0 {
		r, z = listed("HOLDFAST_REDIS"), listed("HOLDFAST_ZK")
		if len(r) > 0 && len(z) > 0 {
			return target{}, &exit{exitUsage, errors.New("HOLDFAST_REDIS and HOLDFAST_ZK are both set: say --redis or --zk")}
		}
	}
	if len(r)+len(z) == 0 {
		r = []string{usualRedis}
	}
	return oneOf(r, z)
}

func oneOf(redis, zk []string) (target, error) {
	switch {
	case len(redis) > 0 && len(zk) > 0:
		return target{}, &exit{exitUsage, errors.New("--redis and --zk do not go together")}
	case len(zk) > 0:
		return target{onZooKeeper, zk}, nil
	}
	return target{onRedis, redis}, nil
}

func listed(variable string) []string {
	if v := os.Getenv(variable); v != "" {
		return strings.Split(v, ",")
	}
	return nil
}

// store is a connection to where the locks are: an identity of its own, as
// another process has.
type store interface {
	String() string // where it is
	// open comes first. It waits for ZooKeeper; on Redis it does no I/O.
	open(context.Context) error
	// reach tells why the store does not answer, if it does not.
	reach(context.Context) error
	// lock is the lock of that name; heard is told of requests to let go.
	lock(k kind, name string, heard func(*recipes.Hold)) recipes.Locker
	// details is what the store knows of the owners beyond their Status.
	details(context.Context, kind, recipes.Status) (map[string]detail, error)
	// close waits, until ctx ends, for what is being cleaned up behind calls
	// that have left.
	close(context.Context) error
	shelf
}

// survival is for how long a lock outlives its process; nil: as usual.
type survival struct{ lease, session *time.Duration }

// store makes a connection and does no I/O.
func (c *connection) store(t target, s survival) (store, error) {
	var made store
	var err error
	if t.system == onZooKeeper {
		made, err = c.zooKeeper(t.addrs, s)
	} else {
		made, err = c.redis(t.addrs, s)
	}
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	return made, nil
}

// hostPort puts the usual port to a host without one.
func hostPort(flag, a, usual string) (string, error) {
	if !strings.Contains(a, ":") && a != "" {
		return net.JoinHostPort(a, usual), nil
	}
	host, port, err := net.SplitHostPort(a)
	if err == nil && (host == "" || port == "") {
		err = errors.New("host or port is missing")
	}
	if err != nil {
		return "", fmt.Errorf("%s %q is no host:port: %w", flag, a, err)
	}
	return a, nil
}

// given reports whether any flag of a group was used.
func given(flags any) bool { return !reflect.ValueOf(flags).IsZero() }
