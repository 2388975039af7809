package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/links"
	"github.com/weircrawl/weir/storage/memory"
)

// siteSuites judge whole crawls of small sites.
var siteSuites = []suite{table("sites/fixtures.jsonl", nil, judgeSite)}

// A siteRow is a folder of files, and what a crawl of them reaches.
type siteRow struct {
	Name     string
	Site     string // the folder, below sites
	Start    string
	Reached  []reached
	NotFound []string `json:"not_found"`
	External []string
}

type reached struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

const (
	siteHost  = "site.test"
	siteRoot  = "http://" + siteHost
	siteLimit = time.Minute // of one crawl
)

// judgeSite crawls a site as it stands: politely to nobody, because nobody is
// there, and without its robots.txt.
func judgeSite(data fs.FS, row siteRow) verdict {
	files, err := fs.Sub(data, path.Join("sites", row.Site))
	if err != nil {
		return verdict{id: row.Name, failure: err.Error()}
	}
	got, err := crawlSite(files, row)
	if err != nil {
		return verdict{id: row.Name, failure: err.Error()}
	}
	slices.SortFunc(row.Reached, byPath)
	return compare(row.Name,
		siteRow{Reached: row.Reached, NotFound: sorted(row.NotFound), External: sorted(row.External)}, got)
}

// crawlSite returns what a crawl of files reaches, in the form of a row.
func crawlSite(files fs.FS, row siteRow) (got siteRow, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), siteLimit)
	defer cancel()
	web, err := fetchtest.Parse(row.Name, nil)
	if err != nil {
		return got, err
	}
	if err := web.Handle(siteRoot+"/*", folder{files}); err != nil {
		return got, err
	}
	mem := memory.New()
	_, err = weir.Run(ctx, weir.Config{
		UserAgent: "weirbot/1.0", Store: mem, Artifacts: mem, Fetch: fetch.Config{Transport: web}, OnPage: followAll,
		Policy: frontier.Policy{Delay: -1}, // one request at a time: breadth first
		Budget: weir.Budget{Depth: 1000},
	}, siteRoot+row.Start)
	if err != nil {
		return got, err
	}
	reader, err := frontier.NewReader(ctx, mem, "")
	if err != nil {
		return got, err
	}
	if err := reconciles(ctx, reader); err != nil {
		return got, fmt.Errorf("the ledgers do not reconcile: %w", err)
	}
	return readSite(ctx, reader, !row.hasQueries())
}

// followAll follows what asks robots not to, too: they are not asked here.
func followAll(_ context.Context, p *weir.Page) error {
	for _, l := range p.Links() {
		if l.NoFollow && links.Followed(l.Rule) {
			if err := p.Follow(l.Observed); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasQueries reports whether paths of the row stand with their queries.
func (s siteRow) hasQueries() bool {
	return slices.ContainsFunc(s.Reached, func(r reached) bool { return strings.Contains(r.Path, "?") }) ||
		slices.ContainsFunc(s.NotFound, func(p string) bool { return strings.Contains(p, "?") })
}

// readSite reads a crawl's ledgers. Without queries, URLs that differ in nothing
// else are one path, as near as the nearest.
func readSite(ctx context.Context, reader *frontier.Reader, cut bool) (got siteRow, err error) {
	depths := map[string]int{}
	for r, err := range reader.Results(ctx, 0) {
		if err != nil {
			return got, err
		}
		p := strings.TrimPrefix(r.URL, siteRoot)
		if cut {
			p, _, _ = strings.Cut(p, "?")
		}
		switch r.Reason {
		case "missing":
			got.NotFound = append(got.NotFound, p)
		default:
			if d, known := depths[p]; !known || r.Depth < d {
				depths[p] = r.Depth
			}
		}
	}
	for p, depth := range depths {
		got.Reached = append(got.Reached, reached{p, depth})
	}
	slices.SortFunc(got.Reached, byPath)
	for a, err := range reader.Admissions(ctx) {
		if err != nil {
			return got, err
		}
		if a.Reason == frontier.ReasonScope {
			got.External = append(got.External, a.URL)
		}
	}
	got.NotFound, got.External = sorted(got.NotFound), sorted(got.External)
	return got, nil
}

func byPath(a, b reached) int { return cmp.Compare(a.Path, b.Path) }

// sorted returns the different ones of list in order; nil for none.
func sorted(list []string) []string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	if len(list) == 0 {
		return nil
	}
	return list
}

// A folder is a site that has one page for each file, and no robots.txt.
type folder struct{ files fs.FS }

func (f folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	body, err := fs.ReadFile(f.files, name) // a name that leaves the folder is no file
	if err != nil || name == "robots.txt" {
		http.NotFound(w, r)
		return
	}
	if media := mediaTypes[strings.ToLower(path.Ext(name))]; media != "" {
		w.Header().Set("Content-Type", media)
	}
	_, _ = w.Write(body)
}

// mediaTypes are what servers say of files; of others they say what they see.
var mediaTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".xml": "application/xml",
	".txt": "text/plain", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".pdf": "application/pdf",
	".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml",
}
