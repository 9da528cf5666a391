// Package golden compares what a recipe leaves in Redis with recorded states of
// other libraries. The files are JSON, one object each: scenarios of steps, and
// for each step what was done, how it ended, all keys afterwards and the
// messages that were published.
package golden

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// File is one file.
type File struct {
	Recipe     string     `json:"recipe"`
	WatchdogMS int        `json:"watchdog_ms"`
	Scenarios  []Scenario `json:"scenarios"`
}

// Scenario is steps that follow each other on one server.
type Scenario struct {
	ID    string `json:"id"`
	Steps []Step `json:"steps"`
}

// Step is one action; Seen has an entry for each distinct outcome.
type Step struct {
	Do   string `json:"do"`
	Seen []Seen `json:"seen"`
}

// Seen is an outcome, and which versions showed it.
type Seen struct {
	Versions []string       `json:"versions"`
	Result   map[string]any `json:"result"`
	State    State          `json:"state"`
	Messages [][2]string    `json:"messages"`
}

// State is all keys of a server.
type State map[string]Key

// Key is one key. Value is a map for a hash, text for a string.
type Key struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
	TTL   TTL    `json:"pttl"`
}

// TTL is a range, or none.
type TTL struct {
	None     bool
	Min, Max time.Duration
}

// UnmarshalJSON reads "none" or two numbers of milliseconds.
func (t *TTL) UnmarshalJSON(b []byte) error {
	if string(b) == `"none"` {
		t.None = true
		return nil
	}
	var ms [2]int64
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	t.Min, t.Max = time.Duration(ms[0])*time.Millisecond, time.Duration(ms[1])*time.Millisecond
	return nil
}

// Load reads a file.
func Load(t *testing.T, path string) (g File) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &g))
	require.NotEmpty(t, g.Scenarios)
	return g
}

// Only is the outcome of a step on which all versions agree.
func (s Step) Only(t *testing.T) Seen {
	t.Helper()
	require.Len(t, s.Seen, 1, "%q: the versions differ", s.Do)
	return s.Seen[0].clone()
}

// clone, so that a test may change what it expects.
func (s Seen) clone() Seen {
	state := make(State, len(s.State))
	for name, k := range s.State {
		if h, ok := k.Value.(map[string]any); ok {
			fields := make(map[string]any, len(h))
			for f, v := range h {
				fields[f] = v
			}
			k.Value = fields
		}
		state[name] = k
	}
	s.State, s.Messages = state, slices.Clone(s.Messages)
	return s
}

// Rename replaces placeholders in names, fields and values.
func (s Seen) Rename(r *strings.Replacer) Seen {
	out := Seen{Versions: s.Versions, Result: s.Result, State: make(State, len(s.State))}
	for name, k := range s.State {
		switch v := k.Value.(type) {
		case string:
			k.Value = r.Replace(v)
		case map[string]any:
			fields := make(map[string]any, len(v))
			for f, x := range v {
				fields[r.Replace(f)] = x
			}
			k.Value = fields
		}
		out.State[r.Replace(name)] = k
	}
	for _, m := range s.Messages {
		out.Messages = append(out.Messages, [2]string{r.Replace(m[0]), r.Replace(m[1])})
	}
	return out
}
