package frontier

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// classed is the standard normalizer with one parameter of a.test classed.
func classed(param string, class urlnorm.Class) urlnorm.Normalizer {
	return urlnorm.Standard{Params: map[string]map[string]urlnorm.Class{"a.test": {param: class}}}
}

// rekey makes the run to out of from, and requires that it is done.
func rekey(t testing.TB, s storage.Store, from, to string, n urlnorm.Normalizer, change ...func(*Config)) Rekeyed {
	t.Helper()
	cfg := Config{Store: s, Run: to, Normalizer: n, Policy: Policy{Delay: -1, Concurrency: 1000}}
	for _, c := range change {
		c(&cfg)
	}
	done, err := Rekey(t.Context(), cfg, from, nil)
	require.NoError(t, err)
	require.True(t, done.Done)
	verify(t, s)
	return done
}

func under(n urlnorm.Normalizer) func(*Config) {
	return func(c *Config) { c.Normalizer = n }
}

func named(run string) func(*Config) {
	return func(c *Config) { c.Run = run }
}

// answers lists the results of a run: URL, how it ended, and whether it was
// carried.
func answers(t testing.TB, s storage.Store, run string) map[string]string {
	t.Helper()
	r, err := NewReader(t.Context(), s, run)
	require.NoError(t, err)
	got := map[string]string{}
	for res, err := range r.Results(t.Context(), 0) {
		require.NoError(t, err)
		got[res.URL] = fmt.Sprintf("%s {%s}", res.State, res.Reason)
		if res.Carried != "" {
			got[res.URL] += " carried"
		}
	}
	return got
}

// TestRekeyMergesWhatAParameterHadMultiplied corrects a parameter that no rule
// had classed.
func TestRekeyMergesWhatAParameterHadMultiplied(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("first"))
		seed(t, f, "http://a.test/?session=0")
		drain(t, f, func(l Lease) Completion {
			n := f.Summary().Slots
			c := page(l, fmt.Sprintf("/p?session=%d", n), fmt.Sprintf("/q?session=%d", n), "/r")
			c.Records = []Record{{Kind: "page", Data: []byte(fmt.Sprintf("%d", n))}}
			if n > 20 {
				c.References = nil
			}
			return c
		})
		require.NoError(t, f.Close())
		before := cells(t, s)
		require.Greater(t, len(answers(t, s, "first")), 15)

		done := rekey(t, s, "first", "second", classed("session", urlnorm.Tracking))
		assert.Equal(t, map[string]string{
			"http://a.test/?session=0":  "done {fetched} carried",
			"http://a.test/p?session=1": "done {fetched} carried",
			"http://a.test/q?session=1": "done {fetched} carried",
			"http://a.test/r":           "done {fetched} carried",
		}, answers(t, s, "second"))
		t.Logf("%+v", done)
		assert.EqualValues(t, 4, done.Admitted)
		assert.EqualValues(t, 4, done.Carried)
		for _, c := range before {
			if c.space == spaceRun || c.key[5] == 1 {
				assert.Contains(t, cells(t, s), c)
			}
		}
		f = openRaw(t, s, named("second"), under(classed("session", urlnorm.Tracking)))
		done2, err := f.Lease(t.Context(), 1)
		require.True(t, errors.Is(err, ErrDone), "%v %v", done2, err)
		require.NoError(t, f.Close())
		verify(t, s)
	})
}
