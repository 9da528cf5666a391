package docscheck

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// source is a Go file as the comparison sees it: without blank lines.
type source struct {
	lines []string
	// inside marks lines that begin within a comment or a raw string. Text
	// there is not compiled, so no block of a document may be found there.
	inside []bool
}

func newSource(data []byte) source {
	lines := strings.Split(string(data), "\n")
	inside := make([]bool, len(lines))

	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.COMMENT || tok == token.STRING {
			first := file.Line(pos)
			for i := range strings.Count(text, "\n") {
				inside[first+i] = true // the line after first+i, counted from 0
			}
		}
	}

	var src source
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			src.lines = append(src.lines, strings.TrimRight(line, " \t\r"))
			src.inside = append(src.inside, inside[i])
		}
	}
	return src
}

// checkBlocks looks for every Go block of a document in the sources.
func checkBlocks(doc document, sources []source) []Problem {
	var problems []Problem
	for _, b := range doc.blocks {
		want, numbers := b.code()
		if len(want) == 0 {
			problems = append(problems, Problem{Line: b.line, Text: "an empty Go block"})
			continue
		}
		best := 0
		for _, src := range sources {
			best = max(best, src.longest(want))
		}
		if best < len(want) {
			problems = append(problems, Problem{Line: numbers[best], Text: missing(want, best)})
		}
	}
	return problems
}

// missing tells how far the best match got, since that is where the document
// and the code parted.
func missing(want []string, best int) string {
	if best == 0 {
		return fmt.Sprintf("Go block in no compiled file of the repository: none has %q", want[0])
	}
	return fmt.Sprintf("Go block in no compiled file of the repository: the nearest has the %d lines above, not %q next",
		best, strings.TrimSpace(want[best]))
}

// code is the block without blank lines and without the indentation all its
// lines share, and the line number in the document of each.
func (b block) code() (lines []string, numbers []int) {
	for i, line := range b.lines {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " \t\r"))
			numbers = append(numbers, b.line+i)
		}
	}
	return dedent(lines), numbers
}

// longest is the length of the longest start of want that stands in the source
// as one run; all of want, if the block is there.
func (s source) longest(want []string) int {
	best := 0
	for at := range s.lines {
		if s.inside[at] {
			continue
		}
		n := 0
		for n < len(want) && at+n < len(s.lines) && strings.TrimSpace(s.lines[at+n]) == strings.TrimSpace(want[n]) {
			n++
		}
		// Equal words, then equal shape: the indentation relative to each other.
		if n > best {
			best = max(best, same(dedent(s.lines[at:at+n]), dedent(want[:n])))
		}
	}
	return best
}

// same counts the leading lines that two runs of one length share.
func same(a, b []string) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// dedent takes away the indentation that all lines have in common.
func dedent(lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	common := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for _, line := range lines[1:] {
		for !strings.HasPrefix(line, common) {
			common = common[:len(common)-1]
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[len(common):]
	}
	return out
}
