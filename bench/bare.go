package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// request is one EVALSHA as the server got it.
type request struct {
	sha  string
	keys []string
	args []any
}

// bareLock sends the two requests and does nothing else: the floor for a lock
// that is these scripts.
type bareLock struct {
	rdb           *redis.Client
	acquire, free request
}

// newBare has the server tell what Holdfast's uncontended pair is, and sends
// just that: the same scripts, keys and arguments but for the name.
func newBare(ctx context.Context, b *bench) (contender, error) {
	name := b.name()
	pair, err := record(ctx, b.server.Addr(), func() error {
		return pairs(ctx, b.holdfast.lock(name), 1)
	}, b.holdfast.lock(b.name()))
	if err != nil {
		return contender{}, fmt.Errorf("record an uncontended pair: %w", err)
	}
	return contender{"bare", func(other string) lock {
		return &bareLock{b.rdb, pair[0].renamed(name, other), pair[1].renamed(name, other)}
	}}, nil
}

func (l *bareLock) take(ctx context.Context) error { return l.send(ctx, &l.acquire) }

func (l *bareLock) give(ctx context.Context) error { return l.send(ctx, &l.free) }

var errRefused = errors.New("a bare script did not do its work")

func (l *bareLock) send(ctx context.Context, r *request) error {
	reply, err := l.rdb.EvalSha(ctx, r.sha, r.keys, r.args...).Slice()
	if err != nil {
		return err
	}
	if len(reply) == 0 || reply[0] != int64(1) {
		return errRefused
	}
	return nil
}

func (r request) renamed(from, to string) request {
	keys, args := make([]string, len(r.keys)), make([]any, len(r.args))
	for i, key := range r.keys {
		keys[i] = strings.ReplaceAll(key, from, to)
	}
	for i, arg := range r.args {
		args[i] = strings.ReplaceAll(arg.(string), from, to)
	}
	return request{r.sha, keys, args}
}

// record watches the server during do and returns the two EVALSHA that came
// from a client. warm goes first, so that the scripts are there.
func record(ctx context.Context, addr string, do func() error, warm lock) ([]request, error) {
	if err := pairs(ctx, warm, 1); err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("tcp", addr, 3*time.Second)
	if err != nil {
		return nil, err
	}
	defer conn.Close() // only read from
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprint(conn, "MONITOR\r\n"); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(conn)
	if !lines.Scan() || lines.Text() != "+OK" {
		return nil, fmt.Errorf("MONITOR: %q, %w", lines.Text(), errors.Join(lines.Err()))
	}
	if err := do(); err != nil {
		return nil, err
	}
	var seen []request
	for len(seen) < 2 && lines.Scan() {
		words, err := monitored(lines.Text())
		if err != nil {
			return nil, err
		}
		if len(words) > 2 && strings.EqualFold(words[0], "evalsha") {
			r, err := parseRequest(words)
			if err != nil {
				return nil, err
			}
			seen = append(seen, r)
		}
	}
	if len(seen) < 2 {
		return nil, fmt.Errorf("%d EVALSHA instead of 2: %w", len(seen), errors.Join(lines.Err()))
	}
	return seen, nil
}

// monitored reads a line of MONITOR, for example
//
//	+1339518083.107412 [0 127.0.0.1:60866] "keys" "*"
//
// and returns nothing for what a script called.
func monitored(line string) (words []string, err error) {
	_, rest, _ := strings.Cut(line, "[")
	from, rest, ok := strings.Cut(rest, "] ")
	if !ok {
		return nil, fmt.Errorf("no line of MONITOR: %q", line)
	}
	if strings.HasSuffix(from, " lua") {
		return nil, nil
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Errorf("no line of MONITOR: %q", line)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
		rest = rest[len(quoted):]
	}
	return words, nil
}

// parseRequest reads EVALSHA sha n key... arg...
func parseRequest(words []string) (request, error) {
	n, err := strconv.Atoi(words[2])
	if err != nil || n < 0 || len(words) < 3+n {
		return request{}, fmt.Errorf("no EVALSHA: %q", words)
	}
	r := request{sha: words[1], keys: words[3 : 3+n]}
	for _, arg := range words[3+n:] {
		r.args = append(r.args, arg)
	}
	return r, nil
}
