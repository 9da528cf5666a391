package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdfast-go/holdfast/recipes"
)

var update = flag.Bool("update", false, "record the output of inspect as it is now")

// Scripts read this output, so it is recorded. A change is a deliberate commit.
func TestTheOutputOfInspectIsTheRecordedOne(t *testing.T) {
	zookeeper := map[string]detail{
		node(3): {session: 0x1000_3f2a_0000, czxid: 8_589_934_610, host: "192.0.2.7"},
		node(5): {session: 0x1000_3f2a_0001, czxid: 8_589_934_612},
		// What a defect of a server may leave: nobody's death ends it.
		node(9): {czxid: 8_589_934_655, host: "192.0.2.8"},
	}
	day := time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 3600))
	for name, s := range map[string]recipes.Status{
		"free": {Name: "orders:42", Limit: 1, Free: 1},
		"held": {Name: "orders:42", Limit: 1, Holders: []recipes.Holder{
			{ID: "0d9d5a1e-7a3c-4d0f-8b1e-2f6f0f1c9a55:7", Kind: "lock", Count: 2, TTL: 29_143 * time.Millisecond, Fence: 1_772_368_200_000_001, HasFence: true},
		}},
		"forever": {Name: "<plain>", Limit: 1, Holders: []recipes.Holder{{ID: "somebody", Kind: "lock", Count: 1, TTL: -1}}},
		// What later recipes and stores record.
		"queue": {Name: "gate", Limit: 3, Free: 1, QueueStored: true, Holders: []recipes.Holder{
			{ID: "a", Kind: "permit", Since: day, TTL: 1500 * time.Millisecond},
			{ID: "long-name", Kind: "permit", Since: day.Add(time.Second), TTL: 90 * time.Second},
		}, Waiters: []recipes.Waiter{{ID: "w1", Kind: "permit", Since: day}, {ID: "w2", Kind: "permit", Until: day.Add(time.Minute)}}},
		"zookeeper": {Name: "/locks/orders/42", Limit: 1, QueueStored: true, Holders: []recipes.Holder{
			{ID: node(3), Kind: "lock", Since: day, Fence: 8_589_934_610, HasFence: true},
		}, Waiters: []recipes.Waiter{
			{ID: node(5), Kind: "lock", Since: day.Add(88 * time.Second)},
			{ID: node(9), Kind: "lock", Since: day.Add(100 * time.Second)}, // by a clock that is ahead
			{ID: node(10), Kind: "lock", Since: day},                       // gone when its node was read
		}},
		"escapes":      {Name: "x", Limit: 1, Holders: []recipes.Holder{{ID: "\x1b[2J\tme\n", Kind: "lock", Count: 1, TTL: -1}}},
		"nobody waits": {Name: "gate", Limit: 1, Free: 1, QueueStored: true},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			v := view{recipe: "mutex", Status: s, now: day.Add(90 * time.Second)}
			if name == "zookeeper" {
				v.details = zookeeper
			}
			require.NoError(t, v.print(&b, false))
			b.WriteString("---\n")
			require.NoError(t, v.print(&b, true))
			golden := filepath.Join("testdata", "inspect", filepath.Base(t.Name())+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, b.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), b.String())
		})
	}
}

// node is the name of a contender's node.
func node(n int) string {
	return fmt.Sprintf("_c_6e2f7a0c-1d0b-4c7e-9d5e-3f8a51c2b9%02d-lock-%010d", n, n)
}

func TestTheJSONIsOneValue(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, view{recipe: "mutex", Status: recipes.Status{Name: "x"}}.print(&b, true))
	require.True(t, json.Valid(b.Bytes()))
}
