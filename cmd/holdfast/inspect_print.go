package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdfast-go/holdfast/recipes"
)

func printStatus(w io.Writer, recipe string, s recipes.Status, asJSON bool) error {
	if !asJSON {
		_, err := w.Write(text(recipe, s))
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value(recipe, s))
}

// The field names of the JSON are a promise.

type jsonStatus struct {
	Name    string       `json:"name"`
	Recipe  string       `json:"recipe"`
	Held    bool         `json:"held"`
	Limit   int          `json:"limit"`
	Free    int          `json:"free"`
	Holders []jsonHolder `json:"holders"`
	// Waiters is null when the store does not record them.
	Waiters []jsonWaiter `json:"waiters"`
}

type jsonHolder struct {
	Owner   string     `json:"owner"`
	Kind    string     `json:"kind"`
	Count   *int       `json:"count"`
	LeaseMS *int64     `json:"lease_ms"`
	Since   *time.Time `json:"since"`
	Fence   *int64     `json:"fence"`
}

type jsonWaiter struct {
	Owner string     `json:"owner"`
	Kind  string     `json:"kind"`
	Since *time.Time `json:"since"`
	Until *time.Time `json:"until"`
}

func value(recipe string, s recipes.Status) jsonStatus {
	out := jsonStatus{
		Name: s.Name, Recipe: recipe, Held: len(s.Holders) > 0, Limit: s.Limit, Free: s.Free,
		Holders: []jsonHolder{},
	}
	for _, h := range s.Holders {
		j := jsonHolder{Owner: h.ID, Kind: h.Kind, Since: known(h.Since)}
		if h.Count > 0 {
			j.Count = &h.Count
		}
		if h.TTL > 0 {
			ms := h.TTL.Milliseconds()
			j.LeaseMS = &ms
		}
		if h.HasFence {
			j.Fence = &h.Fence
		}
		out.Holders = append(out.Holders, j)
	}
	if !s.QueueStored {
		return out
	}
	out.Waiters = []jsonWaiter{}
	for _, w := range s.Waiters {
		out.Waiters = append(out.Waiters, jsonWaiter{Owner: w.ID, Kind: w.Kind, Since: known(w.Since), Until: known(w.Until)})
	}
	return out
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// text is for people: what is not known is not shown.
func text(recipe string, s recipes.Status) []byte {
	var b bytes.Buffer
	state := "free"
	switch {
	case s.Limit > 1:
		state = fmt.Sprintf("%d of %d free", s.Free, s.Limit)
	case len(s.Holders) > 0:
		state = "held"
	}
	fmt.Fprintf(&b, "%s %s: %s\n", recipe, shown(s.Name), state)
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, h := range s.Holders {
		lease := "no lease"
		if h.TTL > 0 {
			lease = "lease left " + h.TTL.Round(100*time.Millisecond).String()
		}
		fmt.Fprintf(tab, "  holder\t%s", shown(h.ID))
		if h.Count > 1 {
			fmt.Fprintf(tab, "\tlevels %d", h.Count)
		}
		fmt.Fprintf(tab, "\t%s", lease)
		if h.HasFence {
			fmt.Fprintf(tab, "\tfence %d", h.Fence)
		}
		if !h.Since.IsZero() {
			fmt.Fprintf(tab, "\tsince %s", h.Since.UTC().Format(time.RFC3339))
		}
		fmt.Fprintln(tab)
	}
	for i, w := range s.Waiters {
		fmt.Fprintf(tab, "  waiter %d\t%s", i+1, shown(w.ID))
		if !w.Since.IsZero() {
			fmt.Fprintf(tab, "\tsince %s", w.Since.UTC().Format(time.RFC3339))
		}
		if !w.Until.IsZero() {
			fmt.Fprintf(tab, "\tgives up %s", w.Until.UTC().Format(time.RFC3339))
		}
		fmt.Fprintln(tab)
	}
	_ = tab.Flush() // into memory
	if !s.QueueStored {
		b.WriteString("  waiters are not recorded by this kind of lock\n")
	}
	return b.Bytes()
}

// shown keeps what somebody stored from doing anything to a terminal.
func shown(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
