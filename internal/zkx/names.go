package zkx

import (
	"regexp"
	"strings"

	"github.com/holdfast-go/holdfast/internal/settings"
)

// A contender's name is Curator's: `_c_`, a UUID and a dash, which find a node
// whose creation was not answered; an infix that tells the kind of lock; and the
// ten digits of the server, which are its place. Curator's peers look for the
// last infix only, so contenders without the first part, or with the 32 hex
// digits of go-zookeeper's own lock, stand in the same line.
const protection = "_c_"

// digits are what the server appends: ten, or a sign and digits once its counter
// has run over.
const digits = `(-?[0-9]{9,10})$`

var contender = regexp.MustCompile(`^(_c_[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}-)?(lock-|__READ__|__WRIT__|lease-|latch-)` + digits)

// parse takes a child's name apart; ok when it has the form of a contender.
func parse(name string) (infix, place string, ok bool) {
	m := contender.FindStringSubmatch(name)
	if m == nil {
		return "", "", false
	}
	return m[3], m[4], true
}

// sortKey is what Curator orders children by: the text after the last infix, or
// all of the name.
func sortKey(name, infix string) string {
	if i := strings.LastIndex(name, infix); i >= 0 {
		return name[i+len(infix):]
	}
	return name
}

func protected(guid, infix string) string { return protection + guid + "-" + infix }

// badPath is what is wrong with the path of a lock, or empty. whole is with the
// namespace.
func badPath(path, whole string) string {
	if bad := settings.BadPath(path); bad != "" {
		return bad
	}
	if bad := settings.BadPath(whole); bad != "" {
		return bad
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	if _, _, ok := parse(last); ok || strings.HasPrefix(last, protection) {
		return "the path ends like the node of a contender"
	}
	return ""
}

func join(dir, name string) string { return dir + "/" + name }

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func parent(path string) string { return path[:strings.LastIndexByte(path, '/')] }
