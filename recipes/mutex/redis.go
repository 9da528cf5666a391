package mutex

import (
	_ "embed"
	"time"

	"github.com/holdfast-go/holdfast/internal/redisx"
	"github.com/holdfast-go/holdfast/rediscore"
)

// In Redis: a hash at the name with one field, the owner `uuid:n`, whose value
// is the number of levels; its TTL is the lease. The release that takes the
// last level publishes 0 on the lock's channel, and that wakes one waiter of
// each process. Layout, channel and message are Redisson's RLock.

//go:embed acquire.lua
var acquireLua string

//go:embed release.lua
var releaseLua string

//go:embed handover.lua
var handoverLua string

//go:embed inspect.lua
var inspectLua string

//go:embed force.lua
var forceLua string

//go:embed plain_acquire.lua
var plainAcquireLua string

//go:embed plain_release.lua
var plainReleaseLua string

//go:embed plain_handover.lua
var plainHandoverLua string

//go:embed plain_renew.lua
var plainRenewLua string

//go:embed plain_inspect.lua
var plainInspectLua string

//go:embed plain_force.lua
var plainForceLua string

var redisson = &redisx.Recipe{
	Name: "mutex", Family: "mutex", Kind: "lock",
	Channel: "redisson_lock__channel", Token: "redisson_lock_token",
	Acquire:  redisx.NewScript(acquireLua),
	Release:  redisx.NewScript(releaseLua),
	Handover: redisx.NewScript(handoverLua),
	Renew:    redisx.RenewHash,
	Inspect:  redisx.NewScript(inspectLua),
	Force:    redisx.NewScript(forceLua),
	Levels:   true,
	Poll:     time.Second,
}

// plain publishes on the same channel, for waiters of this library; peers of
// the layout poll, so ours look often too, or they would never be first.
var plain = &redisx.Recipe{
	Name: "mutex", Family: "plain mutex", Kind: "lock",
	Channel:  "redisson_lock__channel",
	Acquire:  redisx.NewScript(plainAcquireLua),
	Release:  redisx.NewScript(plainReleaseLua),
	Handover: redisx.NewScript(plainHandoverLua),
	Renew:    redisx.NewScript(plainRenewLua),
	Inspect:  redisx.NewScript(plainInspectLua),
	Force:    redisx.NewScript(plainForceLua),
	Poll:     200 * time.Millisecond,
	Deaf:     true,
}

// RedisOption chooses the layout of a mutex in Redis.
type RedisOption func(*redisConfig)

type redisConfig struct{ fenced, plain bool }

// Fenced gives the mutex a fencing token, as Redisson's RFencedLock does, with
// its counter: a key of its own that stays for ever. Every holder of the name
// should be fenced; a plain Redisson RLock excludes, but does not count.
//
// Against Redisson, re-entry keeps the token, and a counter that is missing
// starts at the server's time in microseconds, so that tokens grow on when the
// key was lost. If a Java service is first after such a loss, it starts at 1.
func Fenced() RedisOption { return func(c *redisConfig) { c.fenced = true } }

// Plain stores one string with SET NX PX and deletes it by compare-and-delete:
// the layout of the Redis documentation, redsync and redislock. It stores no
// count (re-entry is counted in this process) and has no fence; it does not go
// with Fenced, which wins.
func Plain() RedisOption { return func(c *redisConfig) { c.plain = true } }

// NewRedis makes the mutex of that name: the key it is stored under, behind the
// client's namespace. It does no I/O and makes no error: a bad name is
// recipes.ErrInvalid at the first call. A nil client panics.
func NewRedis(c *rediscore.Client, name string, opts ...RedisOption) *Mutex {
	var cfg redisConfig
	for _, opt := range opts {
		opt(&cfg)
	}
	recipe := redisson
	if cfg.plain && !cfg.fenced {
		recipe = plain
	}
	return &Mutex{onRedis{redisx.NewLock(redisx.Of(c), recipe, name, cfg.fenced)}}
}
