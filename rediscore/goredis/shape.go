package goredis

import (
	"bufio"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/rediscore"
)

// shapeOf asks one server, in one round trip, what it is. A server that does
// not tell (a right is missing, or it is no Redis) is taken for a plain one.
// The question for sharded pub/sub is the one Redisson asks.
func shapeOf(ctx context.Context, n *node) (rediscore.Shape, error) {
	replies, err := n.do(ctx, []rediscore.Cmd{{"INFO"}, {"PUBSUB", "SHARDNUMSUB"}})
	if err != nil {
		return rediscore.Shape{}, err
	}
	for _, r := range replies {
		switch {
		case r.Err == nil:
		case strings.HasPrefix(r.Err.Text, "NOAUTH"), strings.HasPrefix(r.Err.Text, "WRONGPASS"):
			return rediscore.Shape{}, r.Err
		}
	}
	text, _ := replies[0].Value.(string)
	s := parseInfo(text)
	s.Sharded = replies[1].Err == nil
	return s, nil
}

func parseInfo(text string) (s rediscore.Shape) {
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan(); {
		key, value, _ := strings.Cut(strings.TrimSpace(sc.Text()), ":")
		switch key {
		case "redis_version":
			s.Version = value
		case "run_id":
			s.RunID = value
		case "cluster_enabled":
			s.Cluster = value == "1"
		case "connected_slaves":
			s.Replicas, _ = strconv.Atoi(value)
		case "uptime_in_seconds":
			n, _ := strconv.ParseInt(value, 10, 64)
			s.Uptime = time.Duration(n) * time.Second
		}
	}
	return s
}
