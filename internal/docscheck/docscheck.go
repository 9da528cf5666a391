// Package docscheck keeps the documents true: every Go block in a Markdown file
// is a piece of a Go file that the build compiles, and every relative link
// leads to a file, and to a heading of it, that exists.
package docscheck

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Problem is one thing that is wrong in a document.
type Problem struct {
	File string // slash-separated, relative to the root
	Line int
	Text string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// Check reads every Markdown file below root and tells what is wrong in them.
// It returns the number of documents, Go blocks and links too: a check that
// found nothing to check should not pass for a clean one.
func Check(root string) (problems []Problem, counts Counts, err error) {
	docs, sources, err := find(root)
	if err != nil {
		return nil, counts, err
	}
	for _, name := range docs {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, counts, err
		}
		doc := parse(string(data))
		counts.Docs++
		counts.Blocks += len(doc.blocks)
		counts.Links += len(doc.links)
		for _, p := range slices.Concat(doc.problems, checkBlocks(doc, sources), checkLinks(root, name, doc)) {
			p.File = name
			problems = append(problems, p)
		}
	}
	return problems, counts, nil
}

// Counts tells how much Check has looked at.
type Counts struct{ Docs, Blocks, Links int }

// find collects the Markdown files and the Go files that a build may compile.
// Hidden folders, testdata and what Maven builds are nobody's documents.
func find(root string) (docs []string, sources []source, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
				slices.Contains([]string{"testdata", "target", "vendor", "node_modules"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".md":
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			docs = append(docs, filepath.ToSlash(rel))
		case ".go":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !bytes.Contains(data, []byte("//go:build ignore\n")) {
				sources = append(sources, newSource(data))
			}
		}
		return nil
	})
	return docs, sources, err
}
