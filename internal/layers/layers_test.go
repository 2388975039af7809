package layers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/weircrawl/weir"

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	packages, err := Read(filepath.Join("..", ".."))
	require.NoError(t, err)
	require.Greater(t, len(packages), 10, "packages found")
	for _, fault := range Faults(module, Table, packages) {
		t.Error(fault)
	}
}

func TestTableNamesOnlyItsOwnRows(t *testing.T) {
	for dir, row := range Table {
		for _, used := range row.Uses {
			assert.Contains(t, Table, used, "used by %s", dir)
			assert.NotContains(t, Table[used].Uses, dir, "%s and %s use each other", dir, used)
		}
	}
}

func TestWrongImportIsAFault(t *testing.T) {
	table := map[string]Row{
		"low":  {},
		"high": {Uses: []string{"low", "kit"}, Modules: []string{"example.org/x"}},
		"kit":  {Uses: []string{"low"}, Kit: true},
	}
	for _, c := range []struct {
		name string
		p    Package
		want string // empty: no fault
	}{
		{"a row that holds", Package{Dir: "high", Imports: []string{"fmt", module + "/low", "example.org/x/y"}}, ""},
		{"no row", Package{Dir: "new"}, "new has no row in internal/layers/table.go"},
		{"upwards", Package{Dir: "low", Imports: []string{module + "/high"}}, "low may not import high"},
		{"the root", Package{Dir: "low", Imports: []string{module}}, "low may not import ."},
		{"a nested module", Package{Dir: "high", Imports: []string{module + "/nested"}}, "high may not import nested"},
		{"a nested module in a test", Package{Dir: "high", TestImports: []string{module + "/nested"}}, "high tests import nested, which is not a package of this module"},
		{"another module", Package{Dir: "low", Imports: []string{"example.org/x"}}, "low may not import example.org/x"},
		{"a name that only begins like an allowed one", Package{Dir: "high", Imports: []string{"example.org/xy"}}, "high may not import example.org/xy"},
		{"another module in a test", Package{Dir: "low", TestImports: []string{"example.org/x"}}, "low tests may not import example.org/x"},
		{"a test module in a test", Package{Dir: "low", TestImports: []string{"pgregory.net/rapid", "testing", module + "/kit"}}, ""},
		{"a test module", Package{Dir: "low", Imports: []string{"pgregory.net/rapid"}}, "low may not import pgregory.net/rapid"},
		{"testing", Package{Dir: "low", Imports: []string{"testing/fstest"}}, "low imports testing/fstest, but is no kit"},
		{"testing in a kit", Package{Dir: "kit", Imports: []string{"testing", module + "/low"}}, ""},
		{"a kit", Package{Dir: "high", Imports: []string{module + "/kit"}}, "high imports the kit kit, which only tests may"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Faults(module, table, []Package{c.p, {Dir: "high"}, {Dir: "kit"}, {Dir: "low"}})
			if c.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, []string{c.want}, got)
			}
		})
	}
}

func TestRowWithoutItsPackageIsAFault(t *testing.T) {
	assert.Equal(t, []string{"gone has a row but no files"}, Faults(module, map[string]Row{"gone": {}}, nil))
}

func TestReadFindsFilesOfEverySystemAndNoNestedModule(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "module m",
		"a.go":                  "package m\nimport \"fmt\"",
		"a_windows.go":          "package m\nimport \"os\"",
		"b/b_test.go":           "package b\nimport \"testing\"",
		"b/b.go":                "//go:build plan9\npackage b\nimport \"io\"",
		"nested/go.mod":         "module m/nested",
		"nested/n.go":           "package nested",
		"b/testdata/t.go":       "package t",
		".hidden/h.go":          "package h",
		"b/empty/nothing.txt":   "",
		"nested/below/below.go": "package below",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	got, err := Read(root)
	require.NoError(t, err)
	assert.Equal(t, []Package{
		{Dir: ".", Imports: []string{"fmt", "os"}},
		{Dir: "b", Imports: []string{"io"}, TestImports: []string{"testing"}},
	}, got)
}
