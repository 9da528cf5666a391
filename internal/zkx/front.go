package zkx

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// node is one contender in a line.
type node struct {
	name  string
	infix string
	key   string // its digits
}

// lastPlace is where the server's counter stops: what it gives out from there on
// has no order.
const lastPlace = "2147483647"

// front is a directory as one list has shown it, up to our own node: what has to
// go before it can be first. Nobody can come in between, so the set only
// shrinks.
type front struct {
	ahead []node // in order
	own   bool   // our node is there
}

// look judges the children of a lock's directory from the place of own. infixes
// are the kinds of nodes that belong to this kind of lock. The error is what
// makes the line unfit to stand in.
func look(children []string, own string, infixes []string) (front, error) {
	var f front
	ownInfix, ownKey, _ := parse(own)
	if !slices.Contains(infixes, ownInfix) {
		return f, fmt.Errorf("our own node %q is no contender here", own)
	}
	if worn(ownKey) {
		return f, fmt.Errorf("the sequence numbers of the path are used up; let it become empty, so that the server removes it")
	}
	for _, name := range children {
		if name == own {
			f.own = true
			continue
		}
		n, foreign := judge(name, ownKey, infixes)
		if foreign != nil {
			return f, foreign
		}
		if n.name != "" {
			f.ahead = append(f.ahead, n)
		}
	}
	slices.SortFunc(f.ahead, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	return f, nil
}

// judge is a child as seen from ownKey: a node in front, nothing when it is
// behind, or an error when no order with it is safe.
func judge(name, ownKey string, infixes []string) (node, error) {
	infix, key, ok := parse(name)
	switch {
	case ok && slices.Contains(infixes, infix):
		if worn(key) {
			return node{}, fmt.Errorf("%q: the sequence numbers of the path are used up", name)
		}
		if key == ownKey {
			return node{}, fmt.Errorf("%q has our own place in the line", name)
		}
		if key < ownKey {
			return node{name: name, infix: infix, key: key}, nil
		}
		return node{}, nil
	case ok && (infix == "__READ__" || infix == "__WRIT__" || infix == "lock-"), name == SingleName:
		return node{}, fmt.Errorf("the path is in use by another kind of lock: %q", name)
	}
	// Peers sort every child, whatever it is.
	for _, infix := range infixes {
		if k := sortKey(name, infix); k <= ownKey {
			return node{}, fmt.Errorf("%q is no contender and sorts in front of ours", name)
		}
	}
	return node{}, nil
}

// worn: the counter of the directory has run over, and its numbers have lost
// their order.
func worn(key string) bool { return strings.HasPrefix(key, "-") || key == lastPlace || len(key) != 10 }

// SingleName is the node of a lock without a line.
const SingleName = "lock"

// Rule is what a kind of lock makes of those in front: nil when it holds, else
// the name of the node to wait for.
type Rule func(ahead []node) (wait string)

// Alone is the rule of a mutex: nobody may be in front, and each waits for the
// one before.
func Alone(ahead []node) string {
	if len(ahead) == 0 {
		return ""
	}
	return ahead[len(ahead)-1].name
}
