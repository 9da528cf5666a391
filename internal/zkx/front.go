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

// look judges the children of a lock's directory from the place of own. The
// error is what makes the line unfit to stand in.
func (r *Recipe) look(children []string, own string) (front, error) {
	var f front
	ownInfix, ownKey, _ := r.Naming.Parse(own)
	if !r.belongs(ownInfix) {
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
		n, foreign := r.judge(name, ownKey)
		if foreign != nil {
			return f, foreign
		}
		if n.name != "" {
			f.ahead = append(f.ahead, n)
		}
	}
	slices.SortFunc(f.ahead, inLine)
	return f, nil
}

// judge is a child as seen from ownKey: a node in front, nothing when it is
// behind, or an error when no order with it is safe.
func (r *Recipe) judge(name, ownKey string) (node, error) {
	infix, key, ok := r.Naming.Parse(name)
	switch {
	case ok && r.belongs(infix):
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
	case r.foreignKind(name):
		return node{}, fmt.Errorf("the path is in use by another kind of lock: %q", name)
	}
	// Peers sort every child, whatever it is.
	for _, infix := range r.Infixes {
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

// inLine is the order of a line: by digits, and a writer in front of the read
// side that it has taken at its own place.
func inLine(a, b node) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.infix, a.infix))
}
