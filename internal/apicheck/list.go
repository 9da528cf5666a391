// Package apicheck holds the repository to two promises that no single package
// can keep alone: the exported API changes only on purpose (testdata/api.txt),
// and nobody who uses one store compiles the driver of the other.
package apicheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// listed is what we read of one package in the output of "go list -json".
type listed struct {
	ImportPath string
	Name       string
	Export     string // file with the compiler's export data
	GoFiles    []string
	CgoFiles   []string
	Module     *struct {
		Path string
		Main bool
	}
}

// list asks the go command about patterns, relative to root. Export data is
// built with the packages, so code that does not compile is an error here.
func list(root string, patterns ...string) ([]listed, error) {
	out, err := goList(root, append([]string{
		"-deps", "-export", "-json=ImportPath,Name,Export,GoFiles,CgoFiles,Module",
	}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var pkgs []listed
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs, nil
		case err != nil:
			return nil, fmt.Errorf("read go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// deps are the import paths of everything that patterns compile, tests aside.
func deps(root string, patterns ...string) ([]string, error) {
	out, err := goList(root, append([]string{"-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	// A pattern that matches nothing is a warning to the go command; to a rule
	// about dependencies it would be a silent pass.
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, fmt.Errorf("go list %s: no packages", strings.Join(patterns, " "))
	}
	return strings.Fields(string(out)), nil
}

func goList(root string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}

// notAPI are the top folders whose packages nobody outside the repository is
// meant to import; a nested module among them is not listed in the first place.
var notAPI = []string{"cmd", "interop", "bench", "tools", "docs", "examples", "scripts"}

// public reports whether the package in folder rel of the module is API.
func public(rel, name string) bool {
	segments := strings.Split(rel, "/")
	return name != "main" &&
		!slices.Contains(notAPI, segments[0]) &&
		!slices.Contains(segments, "internal")
}

// matching are those of paths that are one of modules or lie below one.
func matching(paths, modules []string) []string {
	var found []string
	for _, p := range paths {
		for _, m := range modules {
			if p == m || strings.HasPrefix(p, m+"/") {
				found = append(found, p)
				break
			}
		}
	}
	return found
}
