package apicheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `package sample

type Kind int

const (
	First Kind = iota
	Second
	third
)

var Gone, hidden error

type base struct{}

func (base) Promoted() int     { return 0 }
func (*base) OnPointer(n int) {}
func (base) secret()           {}

type Thing struct {
	base
	Name  string
	Inner *Kind
	count int
}

func (t *Thing) Do(f func(Kind) error) error { return nil }

type Plain struct{ A, B int }

type Empty struct{}

type Open interface {
	error
	Ask(n int) (ok bool)
}

type Sealed interface{ seal() }

type Box[T comparable] struct{ Value T }

func (b Box[T]) Get() T { return b.Value }

type Other = base

func New(name string, opts ...func(*Thing)) (*Thing, error) { return nil, nil }

func private() {}
`

func check(t *testing.T, src string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "sample.go", src, 0)
	require.NoError(t, err)
	pkg, err := new(types.Config).Check("sample", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	return pkg
}

func TestEveryKindOfExportedThingHasItsLine(t *testing.T) {
	require.ElementsMatch(t, []string{
		"const First Kind = 0",
		"const Second Kind = 1",
		"var Gone error",
		"type Kind int",
		"type Thing struct{ Name string; Inner *Kind; … }",
		"method (*Thing) Do(f func(Kind) error) error",
		"method (Thing) Promoted() int",
		"method (*Thing) OnPointer(n int)",
		"type Plain struct{ A int; B int }",
		"type Empty struct{}",
		"type Open interface{ error; Ask(n int) (ok bool) }",
		"type Sealed interface{ … }",
		"type Box[T comparable] struct{ Value T }",
		"method (Box) Get() T",
		"type Other = base",
		"method (Other) Promoted() int",
		"method (*Other) OnPointer(n int)",
		"func New(name string, opts ...func(*Thing)) (*Thing, error)",
	}, render(check(t, sample)))
}

func TestPublicMeansImportableAndMeantToBe(t *testing.T) {
	for _, c := range []struct {
		rel, name string
		want      bool
	}{
		{"recipes", "recipes", true},
		{"recipes/mutex", "mutex", true},
		{"rediscore/goredis", "goredis", true},
		{"internal/grant", "grant", false},
		{"recipes/internal/x", "x", false},
		{"cmd/holdfast", "main", false},
		{"cmd/lib", "lib", false},
		{"interop", "interop", false},
		{"some/program", "main", false},
		{"internals", "internals", true},
	} {
		require.Equal(t, c.want, public(c.rel, c.name), c.rel)
	}
}

func TestMatchingKnowsModulesFromTheirNamesakes(t *testing.T) {
	paths := []string{"a.org/x", "a.org/x/sub", "a.org/xy", "b.org/a.org/x"}
	require.Equal(t, []string{"a.org/x", "a.org/x/sub"}, matching(paths, []string{"a.org/x"}))
	require.Empty(t, matching(paths, []string{"c.org/x"}))
}
