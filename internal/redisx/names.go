package redisx

import (
	"fmt"
	"strings"
)

// longestName bounds the key that a name becomes.
const longestName = 1024

// prefixed is Redisson's name of a helper key or channel: the name goes into
// braces so that a cluster puts both into one slot, unless it has braces of its
// own.
func prefixed(prefix, name string) string {
	if strings.ContainsRune(name, '{') {
		return prefix + ":" + name
	}
	return prefix + ":{" + name + "}"
}

// suffixed is Redisson's other form.
func suffixed(name, suffix string) string {
	if strings.ContainsRune(name, '{') {
		return name + ":" + suffix
	}
	return "{" + name + "}:" + suffix
}

// badName is what is wrong with a name, or empty.
func badName(name, key string) string {
	switch {
	case name == "":
		return "the name is empty"
	case strings.ContainsRune(key, 0):
		return "the name has a NUL byte"
	case len(key) > longestName:
		return fmt.Sprintf("the name has %d bytes, with its namespace, and may have %d", len(key), longestName)
	}
	return ""
}

// badSlots is what is wrong with a name in a cluster: its helper keys would
// live elsewhere, and no script may touch both. Java cannot use such a name
// either.
func badSlots(key string, helpers ...string) string {
	for _, h := range helpers {
		if Slot(h) != Slot(key) {
			return fmt.Sprintf("in a cluster its helper %q falls into another slot; use a name without braces, or with one {tag}", h)
		}
	}
	return ""
}
