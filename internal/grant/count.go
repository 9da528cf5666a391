package grant

// Count is how many levels of one grant there are. A grant of a read-write lock
// may have levels of both kinds: a writer that took the read side too. Other
// locks have exclusive levels only.
type Count struct{ Exclusive, Shared int }

// Total is the number of levels.
func (c Count) Total() int { return c.Exclusive + c.Shared }

// and is the count with one more level.
func (c Count) and(shared bool) Count {
	if shared {
		c.Shared++
	} else {
		c.Exclusive++
	}
	return c
}

func (c *Count) drop(shared bool) {
	if shared {
		c.Shared--
	} else {
		c.Exclusive--
	}
}
