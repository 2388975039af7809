package weir

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

const explained = `
-- http://a.test/robots.txt --
HTTP 200

User-agent: *
Disallow: /private
-- http://a.test/ --
HTTP 200
Content-Type: text/html

<a href=/ok>x</a> <a href="/ok?utm_source=b#c">x</a> <a href=/private/1>x</a>
<a href=http://b.test/>x</a> <a href=/moved>x</a> <a href=/broken>x</a>
-- http://a.test/ok --
HTTP 200
Content-Type: text/html

fine
-- http://a.test/moved --
HTTP 301
Location: /target
-- http://a.test/target --
HTTP 200

here
-- http://a.test/broken --
HTTP 404
`

func TestExplainAnswersForEveryURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := over(web(t, explained), memory.New())
		cfg.OnPage = func(_ context.Context, p *Page) error { return p.Emit("seen", p.URL) }
		c, err := New(cfg)
		require.NoError(t, err)
		_, err = c.Explain(t.Context(), "http://a.test/")
		require.ErrorIs(t, err, frontier.ErrNoRun)
		assert.ErrorContains(t, err, "begin one")
		_, err = c.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		for asked, want := range map[string][]string{
			"http://a.test/ok":             {"http://a.test/ok is done {fetched}", "named", "utm_source", "duplicate {tracking}", "status 200", "allowed: no rule matches", `seen "http://a.test/ok"`},
			"http://a.test/ok#x":           {"http://a.test/ok#x is done {fetched}, as http://a.test/ok\n"},
			"http://a.test/private/1":      {"http://a.test/private/1 is refused {robots", "forbidden by line 2 of the group *: Disallow: /private"},
			"http://a.test/target":         {"is done {fetched}", "the redirect of http://a.test/moved"},
			"http://a.test/moved":          {"is done {redirected}", "target      /target"},
			"http://a.test/broken":         {"is done {missing}", "status 404"},
			"http://b.test/":               {"never admitted; offered now it would be policy_stop {out_of_scope}", "named", "policy_stop {out_of_scope}"},
			"http://a.test/never":          {"never admitted; offered now it would be admitted {new}", "0, of all"},
			"http://a.test/private/of/now": {"never admitted; offered now it would be admitted {new}, and then refused {robots}", "forbidden by line 2"},
			"mailto:x@a.test":              {"mailto:x@a.test is nothing that can be requested {unsupported_scheme}"},
		} {
			e, err := c.Explain(t.Context(), asked)
			require.NoError(t, err)
			for _, fact := range want {
				assert.Contains(t, e.String(), fact)
			}
			text, err := json.Marshal(e)
			require.NoError(t, err)
			var back ledger.Explanation
			require.NoError(t, json.Unmarshal(text, &back))
			assert.Equal(t, e.String(), back.String(), "as JSON it says the same")
		}
		forged, err := c.Explain(t.Context(), "http://a.test/x\n  result      1: done\x1b[2J")
		require.NoError(t, err)
		assert.NotContains(t, forged.String(), "\n  result", "no URL prints a line of its own")
		assert.NotContains(t, forged.String(), "\x1b")
		forged, err = c.Explain(t.Context(), "nothing:\n  result      1: done")
		require.NoError(t, err)
		assert.NotContains(t, forged.String(), "\n  result")
		none, err := c.Explain(t.Context(), "")
		require.ErrorIs(t, err, frontier.ErrNoURL)
		assert.ErrorContains(t, err, "name one")
		assert.Equal(t, "no URL was asked for\n", none.String())
		require.NoError(t, c.Close())
	})
}

func TestTheHandlerShowsStatusAndExplanation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(over(web(t, explained), memory.New()))
		require.NoError(t, err)
		ask := func(method, target, accept string) *http.Response {
			r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
			r.Header.Set("Accept", accept)
			w := httptest.NewRecorder()
			c.Handler().ServeHTTP(w, r)
			return w.Result()
		}
		assert.Equal(t, 404, ask("GET", "/status", "").StatusCode, "no run yet")
		_, err = c.Run(t.Context(), "http://a.test/")
		require.NoError(t, err)
		var st ledger.Status
		got := ask("GET", "/status", "")
		require.NoError(t, json.NewDecoder(got.Body).Decode(&st))
		assert.Equal(t, []any{frontier.Finished, "no-store"}, []any{st.Phase, got.Header.Get("Cache-Control")})
		got = ask("GET", "/status", "text/plain")
		assert.True(t, strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain"))
		got = ask("GET", "/explain?url="+url.QueryEscape("http://a.test/ok"), "")
		var e ledger.Explanation
		require.NoError(t, json.NewDecoder(got.Body).Decode(&e))
		assert.Equal(t, frontier.Done, e.State)
		assert.Equal(t, 400, ask("GET", "/explain", "").StatusCode)
		assert.Equal(t, 405, ask("POST", "/status", "").StatusCode)
		assert.Equal(t, 404, ask("GET", "/", "").StatusCode)
		require.NoError(t, c.Close())
	})
}
