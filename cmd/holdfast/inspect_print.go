package main

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

// view is a lock as inspect shows it.
type view struct {
	recipe string
	recipes.Status
	details map[string]detail // by owner; nil: the store has none
	now     time.Time
}

// detail is what ZooKeeper knows of a contender.
type detail struct {
	session, czxid int64
	host           string // as its maker wrote it, or empty
}

func (v view) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return v.json(w)
	}
	_, err := w.Write(v.text())
	return err
}

// text is for people: what is not known is not shown.
func (v view) text() []byte {
	var b bytes.Buffer
	state := "free"
	switch {
	case v.Limit > 1:
		state = fmt.Sprintf("%d of %d free", v.Free, v.Limit)
	case len(v.Holders) > 0:
		state = "held"
	}
	fmt.Fprintf(&b, "%s %s: %s\n", v.recipe, shown(v.Name), state)
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, h := range v.Holders {
		fmt.Fprintln(tab, strings.Join(v.holder(h), "\t"))
	}
	for i, w := range v.Waiters {
		fmt.Fprintln(tab, strings.Join(v.waiter(i+1, w), "\t"))
	}
	_ = tab.Flush() // into memory
	if !v.QueueStored {
		b.WriteString("  waiters are not recorded by this kind of lock\n")
	}
	return b.Bytes()
}

func (v view) holder(h recipes.Holder) []string {
	line := []string{"  holder", shown(h.ID)}
	if h.Count > 1 {
		line = append(line, fmt.Sprintf("levels %d", h.Count))
	}
	switch {
	case h.TTL > 0:
		line = append(line, "lease left "+h.TTL.Round(100*time.Millisecond).String())
	case h.TTL < 0:
		line = append(line, "no lease")
	}
	line = append(line, v.origin(h.ID)...)
	if h.HasFence {
		line = append(line, fmt.Sprintf("fence %d", h.Fence))
	}
	return append(line, v.since(h.Since)...)
}

func (v view) waiter(n int, w recipes.Waiter) []string {
	line := append([]string{fmt.Sprintf("  waiter %d", n), shown(w.ID)}, v.origin(w.ID)...)
	if d, ok := v.details[w.ID]; ok {
		line = append(line, fmt.Sprintf("fence %d", d.czxid))
	}
	line = append(line, v.since(w.Since)...)
	if !w.Until.IsZero() {
		line = append(line, "gives up "+w.Until.UTC().Format(time.RFC3339))
	}
	return line
}

// origin is whose a node is.
func (v view) origin(owner string) []string {
	d, ok := v.details[owner]
	if !ok {
		return nil
	}
	line := []string{"no session"}
	if d.session != 0 {
		line[0] = "session " + hex(d.session)
	}
	if d.host != "" {
		line = append(line, "at "+shown(d.host))
	}
	return line
}

// since is an instant and how long ago that was. Of two clocks, one may be
// ahead.
func (v view) since(t time.Time) []string {
	if t.IsZero() {
		return nil
	}
	age := max(0, v.now.Sub(t)).Round(time.Second)
	return []string{fmt.Sprintf("since %s (%v ago)", t.UTC().Format(time.RFC3339), age)}
}

// hex is how ZooKeeper prints a session.
func hex(session int64) string { return fmt.Sprintf("0x%x", uint64(session)) }

// shown keeps what somebody stored from doing anything to a terminal.
func shown(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
