package docscheck

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const program = "package demo\n\nfunc Example() {\n\tx := 1\n\tif x > 0 {\n\n\t\tprintln(x)\n\t}\n\t/*\n\ty := 2\n\t*/\n\t_ = `\n\tz := 3\n`\n}\n"

// checked lays out a small repository and returns what is wrong with README.md there.
func checked(t *testing.T, readme string) []string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"README.md":           readme,
		"docs/guide.md":       "# Guide\n\n## How it `works`, briefly!\n\n## Twice\n\n## Twice\n\n<a id=\"by-hand\"></a>\n",
		"demo/demo.go":        program,
		"demo/off.go":         "//go:build ignore\n\npackage demo\n\nvar off = 1\n",
		"demo/testdata/d.go":  "package d\n\nvar data = 1\n",
		"demo/testdata/no.md": "[bad](nowhere.md)\n",
		".hidden/no.md":       "[bad](nowhere.md)\n",
	} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	problems, _, err := Check(root)
	require.NoError(t, err)
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return lines
}

func TestABlockThatIsCompiledPasses(t *testing.T) {
	for name, readme := range map[string]string{
		"less indented":       "```go\nx := 1\nif x > 0 {\n\tprintln(x)\n}\n```\n",
		"more indented":       "- item\n\n  ```go\n  x := 1\n  if x > 0 {\n  \tprintln(x)\n  }\n  ```\n",
		"blank lines between": "~~~ go\nx := 1\n\nif x > 0 {\n~~~\n",
		"the whole function":  "```golang\nfunc Example() {\n\tx := 1\n```\n",
		"a longer fence":      "````go\nx := 1\n````\n",
		"no Go at all":        "```sh\nmake nothing\n```\n\n```\nq := 9\n```\n",
	} {
		require.Empty(t, checked(t, readme), name)
	}
}

func TestABlockThatIsNotCompiledIsNamedWithTheLineWhereItParts(t *testing.T) {
	const none = "Go block in no compiled file of the repository: "
	for readme, want := range map[string]string{
		"text\n\n```go\nq := 9\n```\n":                    `README.md:4: ` + none + `none has "q := 9"`,
		"```go\nx := 1\n\nif x > 1 {\n```\n":              `README.md:4: ` + none + `the nearest has the 1 lines above, not "if x > 1 {" next`,
		"```go\nx := 1\nif x > 0 {\nprintln(x)\n}\n```":   `README.md:4: ` + none + `the nearest has the 2 lines above, not "println(x)" next`,
		"```go\ny := 2\n```\n":                            `README.md:2: ` + none + `none has "y := 2"`,
		"```go\nz := 3\n```\n":                            `README.md:2: ` + none + `none has "z := 3"`,
		"```go\nvar off = 1\n```\n":                       `README.md:2: ` + none + `none has "var off = 1"`,
		"```go\nvar data = 1\n```\n":                      `README.md:2: ` + none + `none has "var data = 1"`,
		"```go\n\n```\n":                                  `README.md:2: an empty Go block`,
		"```go\nx := 1\n":                                 `README.md:1: this code block never ends`,
		"````go\nx := 1\n```\n":                           `README.md:1: this code block never ends`,
		"```go title=\"one\"\nq := 9\n```\n":              `README.md:2: ` + none + `none has "q := 9"`,
		"1. step\n   ```go\n   q := 9\n   ```\n":          `README.md:3: ` + none + `none has "q := 9"`,
		"```go\nx := 1\n```\n\n```Go\nx := 1\nq()\n```\n": `README.md:7: ` + none + `the nearest has the 1 lines above, not "q()" next`,
	} {
		require.Equal(t, []string{want}, checked(t, readme), readme)
	}
}

func TestALinkThatLeadsSomewherePasses(t *testing.T) {
	for _, readme := range []string{
		"[a](docs/guide.md) ![b](./demo/demo.go) [c](docs)",
		"[a](docs/guide.md#how-it-works-briefly) [b](docs/guide.md#twice-1) [c](docs/guide.md#by-hand)",
		"[a](https://example.org/nowhere) [b](mailto:a@example.org) [c](//example.org/x)",
		"# My [linked](docs/guide.md) part\n\n[up](#my-linked-part)",
		"[a](</docs/guide.md> \"a title\") [b](demo/demo.go#L3)",
		"[a][g]\n\n[g]: docs/guide.md 'title'",
		"`[a](nowhere.md)` and ``[b](nowhere.md) ` ``",
		"```md\n[a](nowhere.md)\n# Not a heading\n```",
	} {
		require.Empty(t, checked(t, readme), readme)
	}
}

func TestALinkThatLeadsNowhereIsNamed(t *testing.T) {
	for readme, want := range map[string]string{
		"\n[a](nowhere.md)":                                "README.md:2: link to nowhere.md: no such file",
		"![a](docs/nowhere.png \"title\")":                 "README.md:1: link to docs/nowhere.png: no such file",
		"[![a](docs/guide.md)](nowhere.md)":                "README.md:1: link to nowhere.md: no such file",
		"[a][g]\n\n[g]: nowhere.md":                        "README.md:3: link to nowhere.md: no such file",
		"[a](docs/guide.md#nothing)":                       "README.md:1: link to docs/guide.md#nothing: no such heading in that file",
		"[a](docs/guide.md#twice-2)":                       "README.md:1: link to docs/guide.md#twice-2: no such heading in that file",
		"# Top\n[a](#tip)":                                 "README.md:2: link to #tip: no such heading in this file",
		"```md\n# Not a heading\n```\n[a](#not-a-heading)": "README.md:4: link to #not-a-heading: no such heading in this file",
		"[a](../README.md)":                                "README.md:1: link to ../README.md: leads out of the repository",
		"[a]()":                                            "README.md:1: a link without a target",
		"[a](/guide.md)":                                   "README.md:1: link to /guide.md: no such file",
		"[a](docs/nowhere_(really).md)":                    "README.md:1: link to docs/nowhere_(really).md: no such file",
	} {
		require.Equal(t, []string{want}, checked(t, readme), readme)
	}
}

func TestCountsTellWhatWasLookedAt(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte("[a](README.md)\n\n```go\nx\n```\n\n```sh\ny\n```\n"), 0o644))
	_, counts, err := Check(root)
	require.NoError(t, err)
	require.Equal(t, Counts{Docs: 1, Blocks: 1, Links: 1}, counts)
}
