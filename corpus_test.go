//go:build unix

package weir_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage"
)

// A corpus is a documentation package of Debian: a real site, on disk.
type corpus struct {
	name, version, root string
	pages               int            // that can be reached, in this version
	list                storage.Digest // of their list
	budget              weir.Budget
}

// large is the budget of sites with more references on a page than most.
var large = weir.Budget{URLs: 50_000, Pattern: 50_000, References: 50_000, ReferenceBytes: 16 << 20}

var (
	postgresql = corpus{"postgresql-doc-15", "15.20-0+deb12u1", "/usr/share/doc/postgresql-doc-15/html", 1169,
		"sha256:177cab6b1a13142666f164186329063f2d4e1524362fb7674c82f372aca78bdc", weir.Budget{}}
	python = corpus{"python3.11-doc", "3.11.2-6+deb12u9", "/usr/share/doc/python3.11/html", 526,
		"sha256:969850ff91c9c2ce08a5f8d61e44d28cbbd199102ed6102334eda09cc1833296", large}
	rust = corpus{"rust-doc", "1.63.0+dfsg1-2", "/usr/share/doc/rust-doc/html", 21_633,
		"sha256:92a9c9f6d6f155ab58242250a092d7b4f62c9734bbae46b4ff4cb0783080f137", large}
)

func TestPostgreSQLsManualIsCrawledWholeAndOnce(t *testing.T) {
	c := postgresql.here(t)
	receipt, site := c.crawl(t)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt)
	assert.Equal(t, c.reachable(t), site.paths(), "nothing else is requested")
	assert.Equal(t, 1, site.most(), "and nothing twice")
	assert.EqualValues(t, len(site.paths()), receipt.Counts[frontier.Done])
}

func TestPostgreSQLsManualIsCrawledWholeAcrossAKill(t *testing.T) {
	if died(t) {
		return
	}
	c := postgresql.here(t)
	want := c.reachable(t)
	site := c.serve(t)
	v := victim{Dir: t.TempDir(), Address: site.Listener.Addr().String(), Seeds: []string{"http://postgresql.test/index.html"}}
	killed, err := v.process(t.Name(), site.after(int64(len(want)/2)), 0)
	require.NoError(t, err)
	require.True(t, killed)
	lost := v.leased(t)
	receipt, err := v.crawl(t.Context())
	require.NoError(t, err)
	assert.Equal(t, ledger.Complete, receipt.Verdict, receipt)
	assert.Equal(t, want, site.paths())
	assert.EqualValues(t, len(want), receipt.Results)
	assert.EqualValues(t, len(want), receipt.Counts[frontier.Done])
	assert.LessOrEqual(t, int64(site.total()-len(want)), lost, "a request is repeated only for a lease that was lost")
}

// leased counts the leases that a killed process has left.
func (v victim) leased(t *testing.T) int64 {
	store, sink, err := durable(v.Dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, sink.Close()); assert.NoError(t, store.Close()) }()
	reader, err := frontier.NewReader(t.Context(), store, "")
	require.NoError(t, err)
	require.NoError(t, reader.Check(t.Context()))
	summary, err := reader.Summary(t.Context())
	require.NoError(t, err)
	return summary.States[frontier.Leased]
}

func TestLargeManualsAreCrawledWhole(t *testing.T) {
	if !soaking() {
		t.Skip("with WEIR_SOAK=1 only")
	}
	for _, c := range []corpus{python, rust} {
		t.Run(c.name, func(t *testing.T) {
			c.here(t)
			receipt, site := c.crawl(t)
			want := c.reachable(t)
			assert.Zero(t, receipt.Counts[frontier.Failed]+receipt.Counts[frontier.Refused], receipt)
			assert.Equal(t, 1, site.most())
			assert.Equal(t, want, slices.DeleteFunc(site.paths(), func(p string) bool { return !c.isPage(p) }))
		})
	}
}

// here skips the test where the package is not installed.
func (c corpus) here(t *testing.T) corpus {
	if _, err := os.Stat(c.root); err != nil {
		t.Skipf("%s is not installed: apt-get install --no-install-recommends %s", c.name, c.name)
	}
	return c
}

// reachable lists the pages that can be reached. In a soak, and where the
// package is of another version than was counted, they are counted again.
func (c corpus) reachable(t *testing.T) []string {
	version, _ := exec.Command("dpkg-query", "-W", "-f=${Version}", c.name).Output() // empty where there is no dpkg
	known := string(version) == c.version
	list, err := os.ReadFile("testdata/sites/reachable/" + c.name + ".txt")
	if known && err == nil && !soaking() {
		require.Equal(t, c.list, storage.Sum(list))
		return strings.Fields(string(list))
	}
	pages := c.walk(t)
	if known {
		require.Len(t, pages, c.pages)
		require.Equal(t, c.list, storage.Sum([]byte(strings.Join(pages, "\n")+"\n")))
	}
	t.Logf("%s %s has %d pages", c.name, version, len(pages))
	return pages
}

// walk follows the links of the files, without weir.
func (c corpus) walk(t *testing.T) []string {
	seen := map[string]bool{"index.html": true}
	for queue := []string{"index.html"}; len(queue) > 0; queue = queue[1:] {
		file, err := os.Open(filepath.Join(c.root, queue[0]))
		require.NoError(t, err)
		page, err := goquery.NewDocumentFromReader(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		base := &url.URL{Scheme: "http", Host: "site.test", Path: "/" + queue[0]}
		for _, a := range page.Find("a[href]").EachIter() {
			to, err := base.Parse(strings.TrimSpace(a.AttrOr("href", "")))
			if err != nil || to.Host != base.Host || to.Scheme != base.Scheme {
				continue
			}
			if name := fileOf(to); !seen[name] && c.isPage(name) {
				seen[name] = true
				queue = append(queue, name)
			}
		}
	}
	return sortedKeys(seen)
}

// isPage reports whether name is an HTML file of c.
func (c corpus) isPage(name string) bool {
	info, err := os.Stat(filepath.Join(c.root, name))
	return err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, ".html")
}

// crawl crawls c under the library's own parts.
func (c corpus) crawl(t *testing.T) (ledger.Receipt, *corpusSite) {
	site := c.serve(t)
	v := victim{Address: site.Listener.Addr().String()}
	receipt, err := weir.Run(t.Context(), weir.Config{
		UserAgent: "weirtest/1.0", Dir: t.TempDir(), Budget: c.budget,
		Policy: frontier.Policy{Delay: -1, Concurrency: 16},
		Fetch:  fetch.Config{Dial: v.dial, Allow: loopback},
	}, "http://"+c.name+".test/index.html")
	require.NoError(t, err)
	return receipt, site
}

// A corpusSite serves the files of a corpus as they are, and counts.
type corpusSite struct {
	*httptest.Server
	moment

	mu   sync.Mutex
	hits map[string]int // by path and query, but for robots.txt
}

func (c corpus) serve(t *testing.T) *corpusSite {
	s := &corpusSite{hits: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.tick()
		if r.URL.Path != "/robots.txt" {
			s.mu.Lock()
			s.hits[r.RequestURI]++
			s.mu.Unlock()
		}
		file, err := os.Open(filepath.Join(c.root, fileOf(r.URL)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil || info.IsDir() {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, info.Name(), info.ModTime(), file)
	}))
	t.Cleanup(s.Close)
	return s
}

// paths lists the files that were requested.
func (s *corpusSite) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	for target := range s.hits {
		if u, err := url.ParseRequestURI(target); err == nil {
			seen[fileOf(u)] = true
		}
	}
	return sortedKeys(seen)
}

// fileOf is the file that a site serves at u.
func fileOf(u *url.URL) string {
	if strings.HasSuffix(u.Path, "/") {
		return strings.TrimPrefix(path.Join(u.Path, "index.html"), "/")
	}
	return strings.TrimPrefix(path.Clean(u.Path), "/")
}

// most is how often the URL was requested that was requested most.
func (s *corpusSite) most() (most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.hits {
		most = max(most, n)
	}
	return most
}

func (s *corpusSite) total() (total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.hits {
		total += n
	}
	return total
}

// sortedKeys lists a set in the order of bytes.
func sortedKeys(set map[string]bool) []string {
	var list []string
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}
