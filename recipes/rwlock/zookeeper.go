package rwlock

import (
	"context"
	"os"
	"sync"

	"github.com/holdfast-go/holdfast/internal/zkx"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

// In ZooKeeper: a directory at the path, and in it one ephemeral sequential node
// for each holder and waiter, `_c_<uuid>-__READ__<10 digits>` or `__WRIT__`. Both
// kinds share one sequence. A writer holds when nobody is in front of it, a reader
// when no writer is. A writer that takes the read side gets a node with its own
// digits. Names and order are those of Curator's InterProcessReadWriteLock.

const (
	readInfix  = "__READ__"
	writeInfix = "__WRIT__"
	hostRead   = "-R-"
	hostWrite  = "-W-"
)

// sides makes the recipes of the two sides of a layout.
func sides(family string, naming zkx.Naming, read, write string) (writer, reader *zkx.Recipe) {
	both := zkx.Recipe{
		Name: "rwlock", Family: family, Naming: naming,
		Infixes: []string{read, write}, Reads: read,
		Kinds: map[string]string{read: "read", write: "write"},
	}
	w, r := both, both
	w.Infix, w.Rule = write, zkx.Alone
	r.Infix, r.Rule, r.Shared = read, zkx.BehindWriters(write), true
	return &w, &r
}

var curatorWriter, curatorReader = sides("rwlock", zkx.Curator{}, readInfix, writeInfix)

// hostSides are made when they are first asked for, since they need this host's
// name.
var hostSides = sync.OnceValues(func() (writer, reader *zkx.Recipe) {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "unknown"
	}
	return sides("host rwlock", zkx.Hosts{Host: host}, hostRead, hostWrite)
})

// ZooKeeperOption chooses the layout of a read-write lock in ZooKeeper.
type ZooKeeperOption func(*zooKeeperConfig)

type zooKeeperConfig struct{ hosts bool }

// HostNodes names the nodes by the host that made them, `<hostname>-R-<digits>`
// and `<hostname>-W-<digits>`, the layout of the textbook's shared lock: the rule
// is the same, and the names tell an operator which host reads and which writes.
// It has no Java peer. Owner, and Holder.ID, are the GUID in the node's data.
func HostNodes() ZooKeeperOption { return func(c *zooKeeperConfig) { c.hosts = true } }

// NewZooKeeper makes the lock at path, below the client's namespace. It does no
// I/O and makes no error: a bad path is recipes.ErrInvalid at the first call. A
// nil client panics.
//
// Readers and writers are served in the order they came, so a waiting writer
// holds back the readers behind it. The fence of a writer is its node's czxid; so
// is that of a reader, but a writer that reads on keeps its own.
func NewZooKeeper(c *zkcore.Client, path string, opts ...ZooKeeperOption) *RWLock {
	var cfg zooKeeperConfig
	for _, opt := range opts {
		opt(&cfg)
	}
	writer, reader := curatorWriter, curatorReader
	if cfg.hosts {
		writer, reader = hostSides()
	}
	core := zkx.Of(c)
	return &RWLock{onZooKeeper{writer: zkx.NewLock(core, writer, path), reader: zkx.NewLock(core, reader, path)}}
}

// onZooKeeper is a backend.
type onZooKeeper struct{ writer, reader *zkx.Lock }

func (z onZooKeeper) name() string { return z.writer.Path }

func (z onZooKeeper) take(ctx context.Context, c call) (*recipes.Hold, error) {
	side := z.writer
	if c.shared {
		side = z.reader
	}
	return side.Take(ctx, c.verb, c.try, c.opts)
}

func (z onZooKeeper) Inspect(ctx context.Context) (recipes.Status, error) {
	return z.writer.Inspect(ctx)
}

func (z onZooKeeper) ForceRelease(ctx context.Context, h recipes.Holder) error {
	return z.writer.ForceRelease(ctx, h)
}
