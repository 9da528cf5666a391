package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// stats are how often the server has carried out each command, those that
// scripts called among them.
type stats map[string]int64

func commandStats(ctx context.Context, rdb *redis.Client) (stats, error) {
	text, err := rdb.Info(ctx, "commandstats").Result()
	if err != nil {
		return nil, err
	}
	return parseStats(text)
}

// parseStats reads lines such as "cmdstat_get:calls=21,usec=175,...".
func parseStats(text string) (stats, error) {
	out := stats{}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "cmdstat_"), ":calls=")
		if !ok {
			continue
		}
		calls, _, _ := strings.Cut(rest, ",")
		n, err := strconv.ParseInt(calls, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("command statistics: %q", line)
		}
		out[name] = n
	}
	return out, nil
}

// counted is what the server did during f, without our own questions.
func counted(ctx context.Context, rdb *redis.Client, f func() error) (stats, error) {
	before, err := commandStats(ctx, rdb)
	if err != nil {
		return nil, err
	}
	if err := f(); err != nil {
		return nil, err
	}
	after, err := commandStats(ctx, rdb)
	if err != nil {
		return nil, err
	}
	delete(after, "info")
	for name, n := range before {
		if _, ok := after[name]; ok {
			after[name] -= n
		}
	}
	return after, nil
}

// forget leaves out a command that the measurement itself has sent.
func (s stats) forget(name string) { delete(s, name) }

// commands are all of them.
func (s stats) commands() (sum int64) {
	for _, n := range s {
		sum += n
	}
	return sum
}

// requests are the script calls: what a client sent and waited for.
func (s stats) requests() int64 { return s["evalsha"] + s["eval"] }

// subscriptions are the channels asked for.
func (s stats) subscriptions() int64 { return s["subscribe"] + s["ssubscribe"] }

func serverVersion(ctx context.Context, rdb *redis.Client) (string, error) {
	text, err := rdb.Info(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "redis_version:"); ok {
			return v, nil
		}
	}
	return "of unknown version", nil
}
