package zkx

import (
	"regexp"
	"slices"
)

// Naming is how the nodes of a line are named, and where the GUID is that finds
// a node again whose creation was not answered.
type Naming interface {
	// Name is that of a node of ours before the server's digits.
	Name(guid, infix string) string
	// Data is what to write into it.
	Data(guid string) []byte
	// Parse takes a child's name apart; ok when it has the form of a contender.
	Parse(name string) (infix, place string, ok bool)
	// Mine reports whether a child may be that of a GUID; where the name cannot
	// tell, its data does.
	Mine(name, infix, guid string) bool
	// InData: the GUID is in the node's data, not in its name.
	InData() bool
}

// Curator names nodes as Curator does.
type Curator struct{}

// Name is Naming.
func (Curator) Name(guid, infix string) string { return protected(guid, infix) }

// Data is Naming: an address, as Curator writes, for whoever looks at the line.
func (Curator) Data(string) []byte { return []byte(hostAddress()) }

// Parse is Naming.
func (Curator) Parse(name string) (infix, place string, ok bool) { return parse(name) }

// Mine is Naming.
func (Curator) Mine(name, _, guid string) bool {
	return len(name) > len(protection)+len(guid) && name[:len(protection)+len(guid)+1] == protection+guid+"-"
}

// InData is Naming.
func (Curator) InData() bool { return false }

// Hosts names nodes by the host that made them: `<host>-R-` and `<host>-W-`, the
// layout of the textbook's shared lock. It is parsed from the right, since a host
// may be called anything.
type Hosts struct{ Host string }

var hostNode = regexp.MustCompile(`(-[RW]-)` + digits)

// Name is Naming.
func (h Hosts) Name(_, infix string) string { return h.Host + infix }

// Data is Naming.
func (Hosts) Data(guid string) []byte { return []byte(guid) }

// Parse is Naming.
func (Hosts) Parse(name string) (infix, place string, ok bool) {
	if m := hostNode.FindStringSubmatch(name); m != nil {
		return m[1], m[2], true
	}
	return "", "", false
}

// Mine is Naming.
func (h Hosts) Mine(name, infix, _ string) bool {
	got, place, ok := h.Parse(name)
	return ok && got == infix && name == h.Host+infix+place
}

// InData is Naming.
func (Hosts) InData() bool { return true }

// anonymous: the name of a node does not tell whose it is. Once ours was deleted
// by hand, it may be another's.
func (r *Recipe) anonymous() bool { return r.Single != "" || r.Naming.InData() }

// belongs reports whether an infix is of this kind of lock.
func (r *Recipe) belongs(infix string) bool { return slices.Contains(r.Infixes, infix) }

// foreignKind reports whether a child is the node of another kind of lock, which
// knows nothing of this one.
func (r *Recipe) foreignKind(name string) bool {
	infix, _, ok := parse(name)
	return name == SingleName || ok && !r.belongs(infix) && infix != "lease-" && infix != "latch-"
}
