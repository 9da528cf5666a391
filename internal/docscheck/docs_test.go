package docscheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentsAreTrue(t *testing.T) {
	problems, counts, err := Check("../..")
	require.NoError(t, err)
	t.Logf("%d documents, %d Go blocks, %d links", counts.Docs, counts.Blocks, counts.Links)
	// A README without code or without links would mean that we failed to read it.
	require.NotZero(t, counts.Blocks)
	require.NotZero(t, counts.Links)

	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	require.Empty(t, problems, "\n%s", strings.Join(lines, "\n"))
}
