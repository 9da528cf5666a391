// Package zkcore is the ZooKeeper core: one Client for all recipes of a process
// on one ensemble. It keeps what the recipes share: the session and the clock it
// is believed by, the lines of claims, watches, and the deletes that go on behind
// a call that has left.
//
// It names no driver. Make a Client with a leaf: gozk.Connect opens a session
// over go-zookeeper. Another driver implements Dialer and Session.
//
// Use one Client a process: its locks share one session and one heartbeat. Two
// Clients are two strangers, also on one ensemble.
//
// A lock on ZooKeeper is a node that lives as long as its session. The client
// asks a quorum every quarter of the session's time-out, and believes in the
// session for as long as the last answer allows: the time-out less a margin of a
// tenth, and at least 100 ms, and less WithClockRate. All holds of a session are
// lost together, before the servers can end it.
package zkcore
