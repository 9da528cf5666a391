package zkx

// Rule is what a kind of lock makes of those in front, in the order of the line:
// empty when it holds, else the name of the node to wait for.
type Rule func(ahead []node) (wait string)

// Alone is the rule of a mutex and of a writer: nobody may be in front, and each
// waits for the one before.
func Alone(ahead []node) string {
	if len(ahead) == 0 {
		return ""
	}
	return ahead[len(ahead)-1].name
}

// BehindWriters is the rule of a reader, where writers have that infix: no writer
// may be in front, and it waits for the last one that is.
func BehindWriters(infix string) Rule {
	return func(ahead []node) string {
		for i := len(ahead) - 1; i >= 0; i-- {
			if ahead[i].infix == infix {
				return ahead[i].name
			}
		}
		return ""
	}
}

// holders is how many at the head of a line hold.
func (r *Recipe) holders(line []standing) int {
	if len(line) == 0 {
		return 0
	}
	n := 1
	for ; r.Reads != "" && n < len(line) && line[n].infix == r.Reads; n++ {
		// Behind a writer only the read side that it has taken itself.
		if line[0].infix != r.Reads && line[n].key != line[0].key {
			break
		}
	}
	return n
}

// kind is what Inspect calls the holder of a node.
func (r *Recipe) kind(infix string) string {
	if k := r.Kinds[infix]; k != "" {
		return k
	}
	return r.Kind
}
