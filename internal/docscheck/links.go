package docscheck

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// checkLinks follows every link that stays in the repository.
func checkLinks(root, name string, doc document) []Problem {
	var problems []Problem
	for _, l := range doc.links {
		if text := follow(root, name, doc, l.target); text != "" {
			problems = append(problems, Problem{Line: l.line, Text: text})
		}
	}
	return problems
}

// follow says what is wrong with one link of document name, or nothing.
func follow(root, name string, doc document, target string) string {
	u, err := url.Parse(target)
	switch {
	case target == "":
		return "a link without a target"
	case err != nil:
		return "link to " + target + ": not readable as an address"
	case u.Scheme != "" || u.Host != "":
		return ""
	case u.Path == "":
		if !doc.anchors[u.Fragment] {
			return "link to " + target + ": no such heading in this file"
		}
		return ""
	}

	// GitHub takes a leading slash for the root of the repository.
	file := strings.TrimPrefix(path.Clean(u.Path), "/")
	if !strings.HasPrefix(u.Path, "/") {
		file = path.Join(path.Dir(name), u.Path)
	}
	if file == ".." || strings.HasPrefix(file, "../") {
		return "link to " + target + ": leads out of the repository"
	}
	full := filepath.Join(root, filepath.FromSlash(file))
	if _, err := os.Stat(full); err != nil {
		return "link to " + target + ": no such file"
	}
	if u.Fragment == "" || path.Ext(file) != ".md" {
		return ""
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return "link to " + target + ": " + err.Error()
	}
	if !parse(string(data)).anchors[u.Fragment] {
		return "link to " + target + ": no such heading in that file"
	}
	return ""
}
