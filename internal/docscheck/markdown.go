package docscheck

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// document is what the checks need of a Markdown file.
type document struct {
	blocks   []block
	links    []link
	anchors  map[string]bool
	problems []Problem // what stopped us from reading it
}

type block struct {
	line  int // of its first line of code
	lines []string
}

type link struct {
	line   int
	target string
}

var (
	fence    = regexp.MustCompile("^[ \t]*(?:[-*+>][ \t]+|[0-9]+[.)][ \t]+)*(`{3,}|~{3,})[ \t]*([^`]*)$")
	heading  = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)
	codeSpan = regexp.MustCompile("``.+?``|`[^`]+`")
	// Inline links and images, one pair of parentheses allowed inside; the title is dropped.
	inline = regexp.MustCompile(`\]\(\s*(<[^<>]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`)
	// [name]: target, the definition behind [text][name].
	definition = regexp.MustCompile(`^ {0,3}\[[^\]^]+\]:[ \t]*(<[^<>]*>|\S+)`)
	linkText   = regexp.MustCompile(`!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	htmlAnchor = regexp.MustCompile(`<[a-zA-Z][^>]*\s(?:id|name)="([^"]+)"`)
)

// parse reads what GitHub would: fenced code, links outside code, headings.
func parse(text string) document {
	doc := document{anchors: map[string]bool{}}
	seen := map[string]int{}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if m := fence.FindStringSubmatch(lines[i]); m != nil {
			end := closing(lines, i+1, m[1])
			if end < 0 {
				doc.problems = append(doc.problems, Problem{Line: i + 1, Text: "this code block never ends"})
				return doc
			}
			if lang, _, _ := strings.Cut(strings.TrimSpace(m[2]), " "); strings.EqualFold(lang, "go") || strings.EqualFold(lang, "golang") {
				doc.blocks = append(doc.blocks, block{line: i + 2, lines: lines[i+1 : end]})
			}
			i = end
			continue
		}
		doc.prose(i+1, lines[i], seen)
	}
	return doc
}

// closing finds the line that ends a block: the same mark, at least as long, alone.
func closing(lines []string, from int, mark string) int {
	for i := from; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if len(line) >= len(mark) && strings.Trim(line, mark[:1]) == "" {
			return i
		}
	}
	return -1
}

func (doc *document) prose(number int, line string, seen map[string]int) {
	if m := heading.FindStringSubmatch(line); m != nil {
		doc.anchors[anchor(m[1], seen)] = true
	}
	for _, m := range htmlAnchor.FindAllStringSubmatch(line, -1) {
		doc.anchors[m[1]] = true
	}
	bare := codeSpan.ReplaceAllString(line, "``")
	found := inline.FindAllStringSubmatch(bare, -1)
	if m := definition.FindStringSubmatch(bare); m != nil {
		found = append(found, m)
	}
	for _, m := range found {
		doc.links = append(doc.links, link{line: number, target: strings.Trim(m[1], "<>")})
	}
}

// anchor is the name GitHub gives a heading: lower case, blanks to hyphens, no
// punctuation; the second of the same name gets -1, the third -2.
func anchor(heading string, seen map[string]int) string {
	text := linkText.ReplaceAllString(heading, "$1")
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	n := seen[name]
	seen[name]++
	if n > 0 {
		return name + "-" + strconv.Itoa(n)
	}
	return name
}
