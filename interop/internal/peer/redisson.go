package peer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// DefaultRedisson is the Redisson that is tested when nothing else is asked for.
const DefaultRedisson = "3.52.0"

var redissonProject = project{
	dir:     "redisson",
	shared:  []string{"harness/src"},
	version: "redisson.version",
	main:    "holdfast.interop.redisson.Main",
}

// RedissonVersions lists the Redisson versions to test against: HOLDFAST_REDISSON,
// commas between, or DefaultRedisson.
func RedissonVersions() []string { return versions("HOLDFAST_REDISSON", DefaultRedisson) }

// Mode is how a peer finds its Redis.
type Mode string

// The modes. Single is the default.
const (
	Single   Mode = "single"
	Sentinel Mode = "sentinel"
	Cluster  Mode = "cluster"
)

// Redisson says what peer to start. What it does not name is Redisson's default.
type Redisson struct {
	Version  string // DefaultRedisson if empty
	Name     string // CLIENT SETNAME of its connections, "peer" if empty
	Mode     Mode
	Addrs    []string      // host:port; of the sentinels with Sentinel
	Master   string        // with Sentinel; "mymaster" if empty
	Watchdog time.Duration // lockWatchdogTimeout; Redisson's 30 s if 0
}

// Start builds the peer if need be, starts it and waits until it is connected.
func (c Redisson) Start(ctx context.Context) (*Peer, error) {
	if c.Version == "" {
		c.Version = DefaultRedisson
	}
	if c.Name == "" {
		c.Name = "peer"
	}
	classpath, err := redissonProject.build(ctx, c.Version)
	if err != nil {
		return nil, err
	}
	args := append(jvm(),
		"-Dpeer.addresses="+strings.Join(c.Addrs, ","),
		"-Dpeer.name="+c.Name,
	)
	if c.Mode != "" {
		args = append(args, "-Dpeer.mode="+string(c.Mode))
	}
	if c.Master != "" {
		args = append(args, "-Dpeer.master="+c.Master)
	}
	if c.Watchdog > 0 {
		args = append(args, "-Dpeer.watchdog="+strconv.FormatInt(c.Watchdog.Milliseconds(), 10))
	}
	label := fmt.Sprintf("Redisson %s peer %q", c.Version, c.Name)
	return start(ctx, label, append(args, "-cp", classpath, redissonProject.main))
}

// Run is Start for a test: a peer that does not start fails it, and the peer
// is closed at its end unless the test has done so.
func (c Redisson) Run(t testing.TB) *Peer {
	t.Helper()
	return runFor(t, c.Start)
}
