package faultproxy

import (
	"slices"
	"strings"
)

// Op matches requests that are one of these ZooKeeper operations, or a multi
// that holds one.
func Op(names ...string) Match {
	one := func(o ZooOp) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, o.Name) })
	}
	return func(r Request) bool {
		return r.Zoo != nil && (one(r.Zoo.ZooOp) || slices.ContainsFunc(r.Zoo.Ops, one))
	}
}

// Under matches requests to ZooKeeper about a node or about one below it.
func Under(path string) Match {
	below := strings.TrimSuffix(path, "/") + "/"
	return func(r Request) bool {
		return slices.ContainsFunc(r.Keys(), func(k string) bool { return k == path || strings.HasPrefix(k, below) })
	}
}

// Where matches requests with an operation, alone or within a multi, that yes
// is said to.
func Where(yes func(ZooOp) bool) Match {
	return func(r Request) bool { return r.eachOp(yes) }
}

// Watching matches requests that leave a watch.
func Watching() Match { return Where(func(o ZooOp) bool { return o.Watch }) }

// Writes matches requests that change nodes. The end of a session is none.
func Writes() Match {
	return Op("create", "create2", "createContainer", "createTTL", "delete", "deleteContainer",
		"setData", "setACL", "reconfig")
}

// Reads matches requests that look at nodes. A sync, a check and what a client
// sends for its session are none.
func Reads() Match {
	return Op("exists", "getData", "getACL", "getChildren", "getChildren2", "getEphemerals", "getAllChildrenNumber")
}

// Heartbeats matches the pings of ZooKeeper's clients.
func Heartbeats() Match { return Named("ping") }

// SessionTalk matches what a ZooKeeper client sends for its session: the handshake,
// heartbeats, credentials, the watches after a reconnect and the goodbye.
func SessionTalk() Match {
	return Named("connect", "ping", "auth", "sasl", "setWatches", "setWatches2", "closeSession")
}

// Not matches what m does not.
func Not(m Match) Match { return func(r Request) bool { return !m(r) } }

func (r Request) eachOp(yes func(ZooOp) bool) bool {
	switch {
	case r.Zoo == nil:
		return false
	case len(r.Zoo.Ops) > 0:
		return slices.ContainsFunc(r.Zoo.Ops, yes)
	}
	return yes(r.Zoo.ZooOp)
}
