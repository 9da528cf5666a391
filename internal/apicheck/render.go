package apicheck

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
)

// API renders the exported API of every public package of the module in root:
// one line per constant, variable, function, type and method, sorted.
//
// It reads types, not syntax: a method promoted from an embedded internal type
// can be called by users, and no syntax tree of the public package shows it.
func API(root string) ([]string, error) {
	pkgs, err := list(root, "./...")
	if err != nil {
		return nil, err
	}
	export := make(map[string]string, len(pkgs))
	for _, p := range pkgs {
		export[p.ImportPath] = p.Export
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := export[path]
		if !ok {
			return nil, fmt.Errorf("no export data for %q", path)
		}
		return os.Open(file)
	})

	var lines []string
	for _, p := range pkgs {
		if p.Module == nil || !p.Module.Main || len(p.GoFiles)+len(p.CgoFiles) == 0 {
			continue
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
		if rel == "" {
			rel = "."
		}
		if !public(rel, p.Name) {
			continue
		}
		pkg, err := imp.Import(p.ImportPath)
		if err != nil {
			return nil, fmt.Errorf("import %s: %w", p.ImportPath, err)
		}
		for _, line := range render(pkg) {
			lines = append(lines, rel+": "+line)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// render lists the exported API of one package.
func render(pkg *types.Package) []string {
	qual := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	}
	var lines []string
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			// With its value: a constant slipped into the middle of an iota
			// block changes all that follow it.
			lines = append(lines, fmt.Sprintf("const %s %s = %s", name, types.TypeString(obj.Type(), qual), obj.Val().ExactString()))
		case *types.TypeName:
			lines = append(lines, typeLine(obj, qual))
			lines = append(lines, methodLines(obj, qual)...)
		default:
			lines = append(lines, types.ObjectString(obj, qual))
		}
	}
	return lines
}

func typeLine(obj *types.TypeName, qual types.Qualifier) string {
	if obj.IsAlias() {
		return types.ObjectString(obj, qual)
	}
	head := "type " + types.TypeString(obj.Type(), qual)
	if named, ok := obj.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
		// A generic type's own string names its parameters but not their constraints.
		params := make([]string, 0, named.TypeParams().Len())
		for p := range named.TypeParams().TypeParams() {
			params = append(params, p.Obj().Name()+" "+types.TypeString(p.Constraint(), qual))
		}
		head = "type " + obj.Name() + "[" + strings.Join(params, ", ") + "]"
	}
	return head + " " + underlying(obj.Type().Underlying(), qual)
}

// underlying shows structs and interfaces without their unexported parts: that
// there are some is part of the API (no unkeyed literal, no implementation from
// outside), which ones is not.
func underlying(t types.Type, qual types.Qualifier) string {
	var parts []string
	hidden := false
	kind := "struct"
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			switch {
			case !f.Exported():
				hidden = true
			case f.Embedded():
				parts = append(parts, types.TypeString(f.Type(), qual))
			default:
				parts = append(parts, f.Name()+" "+types.TypeString(f.Type(), qual))
			}
		}
	case *types.Interface:
		kind = "interface"
		for e := range t.EmbeddedTypes() {
			parts = append(parts, types.TypeString(e, qual))
		}
		for m := range t.ExplicitMethods() {
			if !m.Exported() {
				hidden = true
				continue
			}
			parts = append(parts, m.Name()+strings.TrimPrefix(types.TypeString(m.Type(), qual), "func"))
		}
	default:
		return types.TypeString(t, qual)
	}
	if hidden {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return kind + "{}"
	}
	return kind + "{ " + strings.Join(parts, "; ") + " }"
}

// methodLines lists what can be called on a value or pointer of the type, also
// what an embedded field or the type behind an alias brings along. Interfaces
// have shown their methods in the type's own line.
func methodLines(obj *types.TypeName, qual types.Qualifier) []string {
	if types.IsInterface(obj.Type()) {
		return nil
	}
	onValue := types.NewMethodSet(obj.Type())
	var lines []string
	for sel := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
		m := sel.Obj()
		if !m.Exported() {
			continue
		}
		recv := "*" + obj.Name()
		if onValue.Lookup(m.Pkg(), m.Name()) != nil {
			recv = obj.Name()
		}
		signature := strings.TrimPrefix(types.TypeString(sel.Type(), qual), "func")
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", recv, m.Name(), signature))
	}
	return lines
}
