package peer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// DefaultCurator is the Curator that is tested when nothing else is asked for.
const DefaultCurator = "5.9.0"

var curatorProject = project{
	dir:     "curator",
	shared:  []string{"harness/src"},
	version: "curator.version",
	main:    "holdfast.interop.curator.Main",
}

// CuratorVersions lists the Curator versions to test against: HOLDFAST_CURATOR,
// commas between, or DefaultCurator.
func CuratorVersions() []string { return versions("HOLDFAST_CURATOR", DefaultCurator) }

// Curator says what peer to start. What it does not name is Curator's default.
type Curator struct {
	Version    string // DefaultCurator if empty
	Name       string // in errors only, "peer" if empty
	Addrs      []string
	Namespace  string
	Session    time.Duration // session time-out
	Connection time.Duration // connection time-out
	Retry      Backoff       // ExponentialBackoffRetry(1000, 3, 5000) if zero
}

// Backoff is Curator's ExponentialBackoffRetry.
type Backoff struct {
	Base    time.Duration
	Retries int
	Ceiling time.Duration
}

// Start builds the peer if need be, starts it and waits until it is connected.
func (c Curator) Start(ctx context.Context) (*Peer, error) {
	if c.Version == "" {
		c.Version = DefaultCurator
	}
	if c.Name == "" {
		c.Name = "peer"
	}
	classpath, err := curatorProject.build(ctx, c.Version)
	if err != nil {
		return nil, err
	}
	args := append(jvm(),
		// Asked for at each connection, and never there.
		"-Dzookeeper.sasl.client=false",
		"-Dpeer.addresses="+strings.Join(c.Addrs, ","),
	)
	if c.Namespace != "" {
		args = append(args, "-Dpeer.namespace="+c.Namespace)
	}
	if c.Session > 0 {
		args = append(args, "-Dpeer.session="+strconv.FormatInt(c.Session.Milliseconds(), 10))
	}
	if c.Connection > 0 {
		args = append(args, "-Dpeer.connection="+strconv.FormatInt(c.Connection.Milliseconds(), 10))
	}
	if c.Retry != (Backoff{}) {
		args = append(args, fmt.Sprintf("-Dpeer.retry=%d,%d,%d",
			c.Retry.Base.Milliseconds(), c.Retry.Retries, c.Retry.Ceiling.Milliseconds()))
	}
	label := fmt.Sprintf("Curator %s peer %q", c.Version, c.Name)
	return start(ctx, label, append(args, "-cp", classpath, curatorProject.main))
}

// Run is Start for a test: a peer that does not start fails it, and the peer
// is closed at its end unless the test has done so.
func (c Curator) Run(t testing.TB) *Peer {
	t.Helper()
	return runFor(t, c.Start)
}

// Session is the ZooKeeper session that a Curator peer has now.
func (t Thread) Session(ctx context.Context) (int64, error) {
	return Go[int64](t, "client.session", nil).Get(ctx)
}

// Seen is a connection state that Curator has reported.
type Seen struct {
	State string // CONNECTED, SUSPENDED, RECONNECTED, LOST or READ_ONLY
	At    int64  // milliseconds since the epoch
}

// States are those reported so far, the first one first.
func (t Thread) States(ctx context.Context) ([]Seen, error) {
	return Go[[]Seen](t, "client.states", nil).Get(ctx)
}

// Revoke is Revoker.attemptRevoke: it asks the owner of a node to let go.
func (t Thread) Revoke(ctx context.Context, node string) error {
	return Go[struct{}](t, "client.revoke", map[string]any{"name": node}).Err(ctx)
}
