package settings

import (
	"context"
	"math/rand/v2"
	"net"
	"time"
)

// ACL is one entry of a node's access list.
type ACL struct {
	Perms  int32
	Scheme string
	ID     string
}

// Auth is one identity that a session proves.
type Auth struct {
	Scheme string
	Data   []byte
}

// Retry is how long to pause before the next attempt, and how many there are.
type Retry struct {
	Base    time.Duration
	Tries   int // 0: no count
	Ceiling time.Duration
}

// ZooKeeper is what the options of zkcore set.
type ZooKeeper struct {
	Common
	SessionTimeout time.Duration
	ACL            []ACL
	Auth           []Auth
	Dial           func(ctx context.Context, network, address string) (net.Conn, error)
	Retry          Retry
}

// allPerms and the world scheme: anybody may do anything, Curator's default.
const allPerms = 31

// DefaultZooKeeper are the defaults.
func DefaultZooKeeper() ZooKeeper {
	return ZooKeeper{
		Common:         defaultCommon(),
		SessionTimeout: 10 * time.Second,
		ACL:            []ACL{{Perms: allPerms, Scheme: "world", ID: "anyone"}},
		Dial:           (&net.Dialer{}).DialContext,
		Retry:          Retry{Base: 10 * time.Millisecond, Ceiling: time.Second},
	}
}

// Pause is how long to wait before the attempt that follows n failures: a random
// part, at least half, of a time that doubles up to the ceiling; nothing before
// the first.
func (r Retry) Pause(n int) time.Duration {
	if n <= 0 {
		return 0
	}
	d := min(r.Base<<min(n-1, 30), r.Ceiling)
	if d <= 0 { // the shift has overflowed
		d = r.Ceiling
	}
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}
