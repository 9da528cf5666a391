// Package rediscore is the Redis core: one Client for all recipes of a process
// on one Redis deployment. It keeps what the recipes share: scripts by hash,
// names and cluster slots, the subscriptions that wake waiters, the watchdog
// that renews holds, and what has to be undone behind a call that has left.
//
// It names no driver. Make a Client with a leaf: goredis.New takes a go-redis
// client. Another driver implements Conn.
//
// Use one Client a process: its locks share one connection for signals, one
// watchdog and one identity. Two Clients are two strangers, also on one server.
package rediscore
