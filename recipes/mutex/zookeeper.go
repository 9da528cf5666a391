package mutex

import (
	"context"

	"github.com/holdfast-go/holdfast/internal/zkx"
	"github.com/holdfast-go/holdfast/recipes"
	"github.com/holdfast-go/holdfast/zkcore"
)

// In ZooKeeper: a directory at the path, and in it one ephemeral sequential node
// for each holder and waiter, `_c_<uuid>-lock-<10 digits>`. The lowest holds, each
// other waits for the one before it. Names and order are those of Curator's
// InterProcessMutex; directories are containers, which the server takes away when
// they have become empty.

var curator = &zkx.Recipe{
	Name: "mutex", Family: "mutex", Kind: "lock",
	Naming: zkx.Curator{}, Infix: "lock-", Infixes: []string{"lock-"}, Rule: zkx.Alone,
}

// single is the textbook's exclusive lock: one ephemeral node, whose data is the
// holder's GUID.
var single = &zkx.Recipe{
	Name: "mutex", Family: "single-node mutex", Kind: "lock",
	Single: zkx.SingleName,
}

// ZooKeeperOption chooses the layout of a mutex in ZooKeeper, and what its holder
// hears.
type ZooKeeperOption func(*zooKeeperConfig)

type zooKeeperConfig struct {
	single   bool
	onRevoke func(*recipes.Hold)
}

// SingleNode makes the lock one ephemeral node, path + "/lock", that its holder
// has created; the others watch it and try again when it goes. It has no order
// and no Java peer, and it is a herd by construction: every release wakes a
// waiter in every process. Tens of processes at most. Owner, and Holder.ID, are
// the GUID in the node's data.
func SingleNode() ZooKeeperOption { return func(c *zooKeeperConfig) { c.single = true } }

// OnRevoke lets f hear when somebody asks the holder to let go: Curator's
// Revoker, or RequestRevoke. f runs on a goroutine of its own, once for each
// request, with a Hold of the outermost level; to comply it ends its work and
// releases. A request that came while the holder was still waiting is told when
// it holds. It does not go with SingleNode, which has no room for the request.
func OnRevoke(f func(*recipes.Hold)) ZooKeeperOption {
	return func(c *zooKeeperConfig) { c.onRevoke = f }
}

// NewZooKeeper makes the mutex at path, below the client's namespace. It does no
// I/O and makes no error: a bad path is recipes.ErrInvalid at the first call. A
// nil client panics.
func NewZooKeeper(c *zkcore.Client, path string, opts ...ZooKeeperOption) *Mutex {
	var cfg zooKeeperConfig
	for _, opt := range opts {
		opt(&cfg)
	}
	recipe := curator
	if cfg.single {
		recipe = single
	}
	l := zkx.NewLock(zkx.Of(c), recipe, path)
	if !cfg.single {
		l.OnRevoke = cfg.onRevoke
	}
	return &Mutex{onZooKeeper{l}}
}

// onZooKeeper is a backend.
type onZooKeeper struct{ *zkx.Lock }

func (z onZooKeeper) name() string { return z.Path }

func (z onZooKeeper) take(ctx context.Context, verb string, try bool, opts []recipes.LockOption) (*recipes.Hold, error) {
	return z.Take(ctx, verb, try, opts)
}
