package frontier

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

func TestParametersThatNoRuleClassesAreReported(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := crawled(t, func(l Lease) Completion {
			c := page(l, "/p?s=1&x=1", "/p?s=2&x=1", "/p?s=3&x=1&utm_source=y", "/p?x=2", "http://b.test/?far=1", "http://[/?bad=1")
			c.References = append(c.References, Reference{Observed: "/i.png?w=1", Rule: "img", Refused: "kind"})
			return c
		}, []string{"http://a.test/"}, func(c *Config) { c.Budget.URLs = 3 })
		f := openRaw(t, s, named("second"), func(c *Config) { c.Budget.URLs = 1 })
		seed(t, f, "http://a.test/?s=1", "http://a.test/?s=2")
		require.NoError(t, f.Close())
		f = openRaw(t, s, named("second"), func(c *Config) { c.Budget.URLs = 5 })
		drain(t, f, nil) // what was held back was offered again
		require.NoError(t, f.Close())

		params := func(run string, n urlnorm.Normalizer) map[string]string {
			r, err := NewReader(t.Context(), s, run)
			require.NoError(t, err)
			r.Normalizer = n
			report, err := r.Params(t.Context())
			require.NoError(t, err)
			got := map[string]string{}
			for _, site := range report.Sites() {
				for _, p := range site.Params {
					got[p.Name] = fmt.Sprintf("%s: %d of %d URLs, %d references", site.Site, p.Merges, p.URLs, p.References)
				}
			}
			return got
		}
		assert.Equal(t, map[string]string{"s": "a.test: 2 of 3 URLs, 9 references", "x": "a.test: 0 of 4 URLs, 12 references"}, params("first", urlnorm.Standard{}),
			"what a rule holds back for good is no page")
		assert.Equal(t, map[string]string{"x": "a.test: 1 of 2 URLs, 12 references"}, params("first", classed("s", urlnorm.Tracking)),
			"under another normalizer: what that one leaves")
		assert.Equal(t, map[string]string{"s": "a.test: 1 of 2 URLs, 2 references"}, params("second", urlnorm.Standard{}),
			"each reference once, also if it was decided again")
	})
}
