package urlnorm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A ParamReport collects the query parameters that no rule classes, so that an
// operator can class them where that merges most. Feed it with normalized URLs;
// what it keeps is bounded, whatever they are. The zero value is ready for use, and
// safe for concurrent use.
type ParamReport struct {
	mu sync.Mutex

	sites  map[string]*siteCounts
	names  int // in all sites
	beyond Beyond
}

// Bounds of a report.
const (
	maxReportNames = 4096 // in all
	maxSiteNames   = 128  // of one site
	maxURLNames    = 64   // of one URL
	maxName        = 128  // bytes of a name
	maxExample     = 512  // bytes of an example
)

// SiteParams is what a report knows of one site.
type SiteParams struct {
	Site   string  `json:"site"`
	Params []Param `json:"params"` // by Merges, then References, most first
	Beyond Beyond  `json:"beyond"` // names of this site that had no room
}

// Param is one parameter that no rule classes. Values, URLs and Merges are exact up
// to 256 values and URLs, and estimates from there on, of which a Merges that could
// be chance is 0.
type Param struct {
	Name       string   `json:"name"`
	References int64    `json:"references"` // with this parameter
	URLs       int64    `json:"urls"`       // distinct keys among them
	Values     int64    `json:"values"`     // distinct values
	Merges     int64    `json:"merges"`     // keys that Tracking would save
	Exact      bool     `json:"exact"`
	Examples   []string `json:"examples"` // two requests at most, of two values
}

// Beyond counts the names that a bound left out, as often as they were seen.
type Beyond struct {
	Names   int64  `json:"names"`
	Example string `json:"example,omitempty"` // the first request that had one
}

type siteCounts struct {
	params map[string]*paramCounts
	beyond Beyond
}

type paramCounts struct {
	references         int64
	urls, rest, values sketch
	examples           []string
	first              uint64 // value of the first example
}

// Add counts the parameters in u.Unknown.
func (r *ParamReport) Add(u URL) {
	if len(u.Unknown) == 0 {
		return
	}
	name := u.Origin.Site()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, param := range u.Unknown {
		switch {
		case i >= maxURLNames:
			r.leftOut(name, u, int64(len(u.Unknown)-i))
			return
		case slices.Contains(u.Unknown[:i], param):
			continue
		}
		if counts := r.param(name, param); counts != nil {
			counts.add(u, param)
		} else {
			r.leftOut(name, u, 1)
		}
	}
}

// param returns the counts of one parameter, or nil if there is no room for it.
func (r *ParamReport) param(name, param string) *paramCounts {
	site := r.sites[name]
	if site != nil && site.params[param] != nil {
		return site.params[param]
	}
	if r.names == maxReportNames || len(param) > maxName || site != nil && len(site.params) == maxSiteNames {
		return nil
	}
	if site == nil {
		if r.sites == nil {
			r.sites = map[string]*siteCounts{}
		}
		site = &siteCounts{params: map[string]*paramCounts{}}
		r.sites[strings.Clone(name)] = site
	}
	counts := &paramCounts{}
	site.params[strings.Clone(param)] = counts
	r.names++
	return counts
}

// leftOut counts n names of u in the site's account, or in that of all sites where
// the site has none.
func (r *ParamReport) leftOut(name string, u URL, n int64) {
	beyond := &r.beyond
	if site := r.sites[name]; site != nil {
		beyond = &site.beyond
	}
	if beyond.Names == 0 {
		beyond.Example = example(u)
	}
	beyond.Names += n
}

func (c *paramCounts) add(u URL, param string) {
	whole := newHasher.write(u.Key.Text).sum()
	rest, value := without(u.Key.Text, param)
	c.references++
	c.urls.add(whole)
	c.rest.add(rest)
	c.values.add(value)
	if len(c.examples) == 0 {
		c.examples, c.first = append(c.examples, example(u)), value
	} else if len(c.examples) == 1 && value != c.first {
		c.examples = append(c.examples, example(u))
	}
}

// without hashes a key without the pairs of one parameter, and their values. A key
// that has no other pair hashes like one without a query.
func without(key, param string) (rest, value uint64) {
	path, query, _ := strings.Cut(key, "?")
	kept, dropped, mark := newHasher.write(path), newHasher, "?"
	for pair := range strings.SplitSeq(query, "&") {
		if name, v, _ := strings.Cut(pair, "="); name == param && pair != "" {
			dropped = dropped.write(v).write("&")
			continue
		}
		kept = kept.write(mark).write(pair)
		mark = "&"
	}
	return kept.sum(), dropped.sum()
}

func example(u URL) string {
	if len(u.Request) > maxExample {
		return u.Request[:maxExample] + "..."
	}
	return strings.Clone(u.Request)
}

// Sites returns what was collected, the site first in which classing parameters
// would merge most.
func (r *ParamReport) Sites() []SiteParams {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]SiteParams, 0, len(r.sites))
	for name, counts := range r.sites {
		all = append(all, SiteParams{Site: name, Params: counts.list(), Beyond: counts.beyond})
	}
	slices.SortFunc(all, func(a, b SiteParams) int {
		return cmp.Or(cmp.Compare(b.merges(), a.merges()), cmp.Compare(a.Site, b.Site))
	})
	return all
}

// Beyond returns the names of sites for which there was no room.
func (r *ParamReport) Beyond() Beyond {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beyond
}

func (s SiteParams) merges() (sum int64) {
	for _, p := range s.Params {
		sum += p.Merges
	}
	return sum
}

func (s *siteCounts) list() []Param {
	all := make([]Param, 0, len(s.params))
	for name, counts := range s.params {
		all = append(all, counts.param(name))
	}
	slices.SortFunc(all, func(a, b Param) int {
		return cmp.Or(cmp.Compare(b.Merges, a.Merges), cmp.Compare(b.References, a.References), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (c *paramCounts) param(name string) Param {
	urls, exactURLs := c.urls.count()
	rest, exactRest := c.rest.count()
	values, exactValues := c.values.count()
	p := Param{
		Name: name, References: c.references, URLs: urls, Values: values, Merges: max(urls-rest, 0),
		Exact: exactURLs && exactValues, Examples: slices.Clone(c.examples),
	}
	if !exactRest && float64(p.Merges) < 3*sketchError*float64(urls) {
		p.Merges = 0
	}
	return p
}

// String lists one parameter a line, for people.
func (r *ParamReport) String() string {
	var b strings.Builder
	for _, site := range r.Sites() {
		fmt.Fprintf(&b, "%s\n", site.Site)
		for _, p := range site.Params {
			about := "about "
			if p.Exact {
				about = ""
			}
			fmt.Fprintf(&b, "  %s: tracking would merge %s%d of %d URLs (%d references, %d values): %s\n",
				p.Name, about, p.Merges, p.URLs, p.References, p.Values, strings.Join(p.Examples, " "))
		}
		site.Beyond.print(&b, "  ")
	}
	r.Beyond().print(&b, "")
	return b.String()
}

func (b Beyond) print(out *strings.Builder, indent string) {
	if b.Names > 0 {
		fmt.Fprintf(out, "%sbeyond the bound of this report: %d more names: %s\n", indent, b.Names, b.Example)
	}
}

// MarshalJSON writes {"sites": Sites, "beyond": Beyond}.
func (r *ParamReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Sites  []SiteParams `json:"sites"`
		Beyond Beyond       `json:"beyond"`
	}{r.Sites(), r.Beyond()})
}
