package layers

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Package is one folder with Go files.
type Package struct {
	Dir         string // below the module's root; "." for the root
	Imports     []string
	TestImports []string // of the files whose names end in _test.go
}

// Read returns the packages of the module in root, without those of modules
// nested in it, and without testdata.
func Read(root string) ([]Package, error) {
	found := map[string]*Package{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(root, path)
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if found[dir] == nil {
			found[dir] = &Package{Dir: dir}
		}
		return found[dir].add(path)
	})
	var all []Package
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[dir])
	}
	return all, err
}

// skip returns fs.SkipDir for a folder that holds no package of the module.
func skip(root, dir string) error {
	name := filepath.Base(dir)
	if dir == root {
		return nil
	}
	if name == "testdata" || name[0] == '.' || name[0] == '_' {
		return fs.SkipDir
	}
	if nested, _ := filepath.Glob(filepath.Join(dir, "go.mod")); nested != nil { // the pattern is well formed
		return fs.SkipDir
	}
	return nil
}

// add records what one file imports.
func (p *Package) add(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.go") {
			p.TestImports = append(p.TestImports, name)
		} else {
			p.Imports = append(p.Imports, name)
		}
	}
	return nil
}

// Faults says in what packages differ from table. The packages are those of
// module.
func Faults(module string, table map[string]Row, packages []Package) []string {
	c := checker{module: module, table: table, known: map[string]bool{}}
	for _, p := range packages {
		c.known[p.Dir] = true
	}
	for _, p := range packages {
		row, found := table[p.Dir]
		if !found {
			c.fault(p.Dir, "has no row in internal/layers/table.go")
			continue
		}
		for _, i := range p.Imports {
			c.checkImport(p.Dir, row, i)
		}
		for _, i := range p.TestImports {
			c.checkTestImport(p.Dir, row, i)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(table)) {
		if !c.known[dir] {
			c.fault(dir, "has a row but no files")
		}
	}
	return slices.Compact(c.faults)
}

type checker struct {
	module string
	table  map[string]Row
	known  map[string]bool // folders of the module's packages
	faults []string
}

func (c *checker) fault(dir, format string, args ...any) {
	c.faults = append(c.faults, dir+" "+fmt.Sprintf(format, args...))
}

func (c *checker) checkImport(dir string, row Row, name string) {
	if used, ours := c.ours(name); ours {
		switch {
		case !slices.Contains(row.Uses, used):
			c.fault(dir, "may not import %s", used)
		case c.table[used].Kit && !row.Kit:
			c.fault(dir, "imports the kit %s, which only tests may", used)
		}
		return
	}
	if !row.Kit && (name == "testing" || strings.HasPrefix(name, "testing/")) {
		c.fault(dir, "imports %s, but is no kit", name)
	}
	if !standard(name) && !within(name, row.Modules) {
		c.fault(dir, "may not import %s", name)
	}
}

// checkTestImport lets a test import all packages of the module.
func (c *checker) checkTestImport(dir string, row Row, name string) {
	if used, ours := c.ours(name); ours {
		if !c.known[used] {
			c.fault(dir, "tests import %s, which is not a package of this module", used)
		}
		return
	}
	if !standard(name) && !within(name, row.Modules) && !within(name, ForTests) {
		c.fault(dir, "tests may not import %s", name)
	}
}

// ours returns the folder of an import path of the module.
func (c *checker) ours(name string) (dir string, ours bool) {
	if name == c.module {
		return ".", true
	}
	return strings.CutPrefix(name, c.module+"/")
}

func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

func within(name string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
}
