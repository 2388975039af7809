package ledgertest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
)

// The claims of row 1: pages of several hosts, each of which links to more than
// the budget holds.
const (
	raceHosts  = 4
	raceLinks  = 12
	raceBudget = 40
)

// races is row 1.
func races(t *trial, open OpenCrawl) {
	c, _ := t.crawl(open)
	var web strings.Builder
	var seeds []string
	for i := range raceHosts {
		fmt.Fprintf(&web, "-- http://h%d.test/robots.txt --\n-- http://h%[1]d.test/* --\n", i)
		for to := range raceHosts {
			web.WriteString(links(raceLinks, fmt.Sprintf("http://h%d.test/%d/%%d", to, i)))
		}
		seeds = append(seeds, fmt.Sprintf("http://h%d.test/", i))
	}
	w := t.web(web.String())
	var at commits
	p := w.plan(seeds...)
	p.URLs, p.Commit = raceBudget, at.take
	require.NoError(t, c.Run(t.ctx, p), "crawl")
	require.Empty(t, at.crossed(), "commits that cross the budget")
	t.admissions(c)
	urls := map[string]bool{}
	for _, e := range w.pages() {
		urls[e.URL] = true
	}
	require.LessOrEqual(t, len(urls), raceBudget, "different pages that were requested, of a budget of %d", raceBudget)
}

// commits notes those that cross the budget.
type commits struct {
	mu   sync.Mutex
	seen int
	bad  []string
}

func (c *commits) take(s frontier.Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen++; s.Slots > raceBudget || s.Admitted() > raceBudget || s.Slots > s.Limit.URLs {
		c.bad = append(c.bad, fmt.Sprintf("commit %d: %d slots of %d, %d admitted", s.Sequence, s.Slots, s.Limit.URLs, s.Admitted()))
	}
}

func (c *commits) crossed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == 0 {
		return []string{"no commit was told"}
	}
	return c.bad
}

// admissions requires that the admission ledger admits up to the budget, each
// identity once and each with a count observed below the limit, and that what is
// beyond it is named.
func (t *trial) admissions(c Crawl) {
	admitted, limited := map[string]bool{}, 0
	for a, err := range c.Admissions(t.ctx) {
		require.NoError(t, err, "admissions")
		switch a.Decision {
		case frontier.Admitted:
			require.False(t, admitted[a.Key.Text], "%s is admitted twice", a.URL)
			require.Less(t, a.Slots, a.Limit, "slots spent before %s was admitted", a.URL)
			require.EqualValues(t, raceBudget, a.Limit, "limit that was observed when %s was admitted", a.URL)
			admitted[a.Key.Text] = true
		case frontier.LimitReached:
			require.NotEmpty(t, a.Reason, "the bound that holds %s back", a.URL)
			limited++
		}
	}
	require.Equal(t, raceBudget, len(admitted), "identities that are admitted, of far more claims")
	require.Positive(t, limited, "claims that the budget holds back")
}
