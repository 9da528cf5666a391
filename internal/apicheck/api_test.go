package apicheck

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the exported API to testdata/api.txt")

const root = "../.."

// The file is the review: whoever changes the API changes it in the same
// commit, next to a line in CHANGELOG.md.
func TestExportedAPIIsTheRecordedOne(t *testing.T) {
	got, err := API(root)
	require.NoError(t, err)
	require.NotEmpty(t, got, "no public package found")

	golden := filepath.Join("testdata", "api.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(strings.Join(got, "\n")+"\n"), 0o644))
	}
	data, err := os.ReadFile(golden)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")

	var changes []string
	for _, line := range want {
		if !slices.Contains(got, line) {
			changes = append(changes, "- "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			changes = append(changes, "+ "+line)
		}
	}
	require.Empty(t, changes, "the exported API changed:\n%s\nif that is meant: make api, and a line in CHANGELOG.md",
		strings.Join(changes, "\n"))
	require.Equal(t, want, got, "order or repeated lines: make api")
}
