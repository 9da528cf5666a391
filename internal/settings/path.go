package settings

import (
	"fmt"
	"strings"
)

// longestPath bounds a path, in bytes; the names below it are short.
const longestPath = 1024

// BadPath is what is wrong with a path for a lock, or empty. The rules are the
// server's own, and no lock lives at the root or in the server's own part.
func BadPath(path string) string {
	switch {
	case path == "":
		return "the path is empty"
	case path[0] != '/':
		return "the path does not start with a slash"
	case path == "/":
		return "the root cannot be a lock"
	case len(path) > longestPath:
		return fmt.Sprintf("the path has %d bytes, with its namespace, and may have %d", len(path), longestPath)
	case path == "/zookeeper" || strings.HasPrefix(path, "/zookeeper/"):
		return "the path is in the server's own part"
	}
	for _, part := range strings.Split(path[1:], "/") {
		switch part {
		case "":
			return "the path has an empty segment"
		case ".", "..":
			return "the path has a relative segment"
		}
	}
	for _, r := range path {
		if forbidden(r) {
			return fmt.Sprintf("the path has the character %U", r)
		}
	}
	return ""
}

// forbidden are the characters that the server refuses in a path, what invalid
// UTF-8 becomes among them, and those beyond U+FFFF, which are two to a server.
func forbidden(r rune) bool {
	return r < 0x20 || 0x7f <= r && r <= 0x9f || 0xd800 <= r && r <= 0xf8ff || 0xfff0 <= r
}
