package redisx

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"time"

	"github.com/holdfast-go/holdfast/internal/claim"
	"github.com/holdfast-go/holdfast/internal/grant"
	"github.com/holdfast-go/holdfast/rediscore"
)

// Script is a Lua script, sent by its hash and in full only to a server that
// does not know it.
type Script struct {
	source string
	sha    string
}

// NewScript is the script with that source.
func NewScript(source string) *Script {
	sum := sha1.Sum([]byte(source))
	return &Script{source: source, sha: hex.EncodeToString(sum[:])}
}

// call is a script with its keys and arguments.
type call struct {
	script *Script
	keys   []string
	args   []any
}

func (c call) command(whole bool) rediscore.Cmd {
	cmd := make(rediscore.Cmd, 0, 3+len(c.keys)+len(c.args))
	if whole {
		cmd = append(cmd, "EVAL", c.script.source)
	} else {
		cmd = append(cmd, "EVALSHA", c.script.sha)
	}
	cmd = append(cmd, len(c.keys))
	for _, k := range c.keys {
		cmd = append(cmd, k)
	}
	return append(cmd, c.args...)
}

// answer is a script's reply: an array whose first element is a code.
type answer struct {
	code   int64
	rest   []any
	sent   time.Time // the instant before the answered request
	acks   int64     // of WAIT
	unsure bool      // an earlier request got no answer
}

func (a answer) int(i int) int64 {
	if i < len(a.rest) {
		return number(a.rest[i])
	}
	return 0
}

func (a answer) text(i int) string {
	if i < len(a.rest) {
		if s, ok := a.rest[i].(string); ok {
			return s
		}
	}
	return ""
}

// run sends one script once, and again in full when the server says that it
// does not know it, which means that it did nothing. wait above 0 asks for that
// many replicas in the same write.
func (c *Core) run(ctx context.Context, x call, wait int) (answer, error) {
	for _, whole := range []bool{false, true} {
		cmds := []rediscore.Cmd{x.command(whole)}
		if wait > 0 {
			cmds = append(cmds, rediscore.Cmd{"WAIT", wait, min(c.set.ReplicaWait, c.set.WatchdogLease/6).Milliseconds()})
		}
		sent := grant.Sent()
		replies, err := c.do(ctx, x.keys[0], cmds...)
		if err != nil {
			return answer{}, err
		}
		if e := replies[0].Err; e != nil {
			if e.Code() == "NOSCRIPT" && !whole {
				continue
			}
			return answer{}, c.refusal(e)
		}
		a := parse(replies[0].Value)
		a.sent = sent
		if wait > 0 {
			if e := replies[1].Err; e != nil {
				return a, c.refusal(e)
			}
			a.acks = number(replies[1].Value)
		}
		return a, nil
	}
	return answer{}, &claim.Trouble{Err: errUnscripted}
}

func parse(v any) answer {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return answer{code: number(v)}
	}
	return answer{code: number(list[0]), rest: list[1:]}
}

// do is every request of this core. An error is a *claim.Trouble around the
// *rediscore.SendError.
func (c *Core) do(ctx context.Context, key string, cmds ...rediscore.Cmd) ([]rediscore.Reply, error) {
	start := time.Now()
	c.quiet.Asked(start)
	replies, err := c.conn.Do(ctx, key, cmds...)
	if err != nil {
		return nil, &claim.Trouble{Err: ownLimit(ctx, err)}
	}
	c.quiet.Answered()
	if len(cmds) == 1 { // WAIT takes its time
		c.trips.add(time.Since(start))
	}
	return replies, nil
}
