package faultproxy

import (
	"slices"
	"strconv"
	"strings"
)

// Match chooses requests. A proxy calls its matches one at a time, so one may
// count; it must not call the proxy.
type Match func(Request) bool

// Any matches every request, also those with which a client opens a
// connection.
func Any() Match { return func(Request) bool { return true } }

// Named matches the commands with these names.
func Named(names ...string) Match {
	return func(r Request) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, r.Name) })
	}
}

// Touching matches requests with a key that contains part.
func Touching(part string) Match {
	return func(r Request) bool {
		return slices.ContainsFunc(r.Keys(), func(k string) bool { return strings.Contains(k, part) })
	}
}

// Script matches runs of a script, by text or by hash, with a key that
// contains part.
func Script(part string) Match {
	return All(Named("EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO"), Touching(part))
}

// All matches what every one of the matches does.
func All(matches ...Match) Match {
	return func(r Request) bool {
		for _, m := range matches {
			if !m(r) {
				return false
			}
		}
		return true
	}
}

// Nth matches the n-th request that m matches, counted from 1, and no other.
func Nth(n int, m Match) Match {
	seen := 0
	return func(r Request) bool {
		if !m(r) {
			return false
		}
		seen++
		return seen == n
	}
}

// Keys are the keys of a script, the channels of a subscription, every
// argument of the commands that take any number of keys, and the first
// argument of any other command. For ZooKeeper they are the paths, those of a
// multi included.
func (r Request) Keys() []string {
	if r.Zoo != nil {
		return r.Zoo.paths()
	}
	words := r.Args
	if len(words) < 2 {
		return nil
	}
	switch r.Name {
	case "EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO":
		if len(words) < 3 {
			return nil
		}
		n, err := strconv.Atoi(words[2])
		if err != nil || n < 0 || n > len(words)-3 {
			return nil
		}
		return words[3 : 3+n]
	case "DEL", "UNLINK", "EXISTS", "MGET", "TOUCH", "WATCH",
		"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE":
		return words[1:]
	default:
		return words[1:2]
	}
}
