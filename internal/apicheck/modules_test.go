package apicheck

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// row is the first cell of a table row that names a module by its path.
var row = regexp.MustCompile("(?m)^\\| `([a-z0-9.-]+\\.[a-z]+/[^`]+)` \\|")

func TestEveryDependencyIsExplained(t *testing.T) {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	var mod struct{ Require []struct{ Path string } }
	require.NoError(t, json.Unmarshal(out, &mod))

	var required, explained []string
	for _, m := range mod.Require {
		required = append(required, m.Path)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	require.NoError(t, err)
	for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
		explained = append(explained, m[1])
	}
	require.ElementsMatch(t, required, explained, "go.mod and the tables of docs/dependencies.md differ")
}
