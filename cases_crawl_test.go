package weir

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// crawled is a crawl that is over, and where to look for what it did.
type crawled struct {
	t       *testing.T
	web     *fetchtest.Web
	mem     *memory.Store
	receipt ledger.Receipt
}

// crawl crawls a web that is written in a test, from a seed on, under a Config
// that change has changed.
func crawl(t *testing.T, archive string, change func(*Config), seed string) crawled {
	t.Helper()
	return crawlWeb(t, web(t, archive), change, seed)
}

// crawlWeb is crawl for a web that is parsed already.
func crawlWeb(t *testing.T, w *fetchtest.Web, change func(*Config), seed string) crawled {
	t.Helper()
	c := crawled{t: t, web: w, mem: memory.New()}
	cfg := over(c.web, c.mem)
	if change != nil {
		change(&cfg)
	}
	var err error
	c.receipt, err = Run(t.Context(), cfg, seed)
	require.NoError(t, err)
	return c
}

// onSockets lets a Config reach a web through loopback sockets, without waits.
func onSockets(t *testing.T, w *fetchtest.Web) func(*Config) {
	t.Helper()
	dial, closing, err := w.Serve()
	require.NoError(t, err)
	t.Cleanup(closing)
	return func(cfg *Config) {
		cfg.Policy = frontier.Policy{Delay: -1}
		cfg.Fetch.Transport, cfg.Fetch.Dial = nil, dial
		cfg.Fetch.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
}

// hosts is a change: only these hosts are in scope.
func hosts(names ...string) func(*Config) {
	return func(cfg *Config) { cfg.Scope.Hosts = names }
}

// hits is how many requests the web saw for url.
func (c crawled) hits(url string) int { return c.web.Log().Hits(url) }

// ends lists what became of every URL: "state {reason} url".
func (c crawled) ends() []string { c.t.Helper(); return results(c.t, c.mem) }

// result is the last one of a URL.
func (c crawled) result(url string) (found frontier.Result) {
	c.t.Helper()
	for r := range allResults(c.t, c.mem) {
		if r.URL == url {
			found = r
		}
	}
	require.NotEmpty(c.t, found.URL, "%s has no result", url)
	return found
}

// artifact is the response that is kept of a URL.
func (c crawled) artifact(url string) storage.Artifact {
	c.t.Helper()
	a, err := c.mem.Open(context.Background(), c.result(url).Evidence.Artifact)
	require.NoError(c.t, err, url)
	return a
}

// admissions lists the decisions on what a source named: "observed: decision
// {reason}".
func (c crawled) admissions(source frontier.Source) (lines []string) {
	c.t.Helper()
	for _, a := range c.decisions() {
		if a.Source == source {
			lines = append(lines, fmt.Sprintf("%s: %s {%s}", a.Reference.Observed, a.Decision, a.Reason))
		}
	}
	return lines
}

func (c crawled) decisions() (all []frontier.Admission) {
	c.t.Helper()
	reader, err := frontier.NewReader(context.Background(), c.mem, "")
	require.NoError(c.t, err)
	for a, err := range reader.Admissions(context.Background()) {
		require.NoError(c.t, err)
		all = append(all, a)
	}
	return all
}

// requested lists the requests for pages, in order.
func (c crawled) requested() (urls []string) {
	for _, e := range c.web.Log() {
		if !strings.HasSuffix(e.URL, "/robots.txt") {
			urls = append(urls, e.URL)
		}
	}
	return urls
}

// The cases that this file's test looks for: whole kinds.
const kinds = `[A-FHI-MORS]\d+`

// TestCasesAreAllThere: each of these cases has a test somewhere that is
// named by its id: a function TestSE1..., or a row or sub-test "S-E1 ...".
func TestCasesAreAllThere(t *testing.T) {
	text, err := os.ReadFile("../shared/cases/faults.md")
	if err != nil {
		t.Skipf("the list of cases is not there: %v", err)
	}
	there := namedCases(t)
	ids := regexp.MustCompile(`(?m)^\*\*S-(`+kinds+`) `).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, ids)
	var missing []string
	for _, id := range ids {
		if !slices.Contains(there, id[1]) {
			missing = append(missing, "S-"+id[1])
		}
	}
	assert.Empty(t, missing, "no test is named by these ids")
}

// namedCases returns the ids by which tests of the tree are named.
func namedCases(t *testing.T) []string {
	var ids []string
	function, text := regexp.MustCompile(`^TestS(`+kinds+`)`), regexp.MustCompile(`^S-(`+kinds+`)`)
	files := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				ids = append(ids, group(function, n.Name.Name)...)
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					ids = append(ids, group(text, s)...)
				}
			}
			return true
		})
		return nil
	}))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// group returns what the first group of re matches in s, if it does.
func group(re *regexp.Regexp, s string) []string {
	if m := re.FindStringSubmatch(s); m != nil {
		return m[1:2]
	}
	return nil
}
