package urlnorm

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func report(t *testing.T, refs ...string) *ParamReport {
	t.Helper()
	r := &ParamReport{}
	for _, ref := range refs {
		u, err := Standard{}.Normalize(nil, ref)
		require.NoError(t, err, ref)
		r.Add(u)
	}
	return r
}

func TestAReportSaysWhereAClassWouldMergeMost(t *testing.T) {
	r := report(t,
		"http://www.b.test/?sid=1&page=1", "http://b.test/?sid=2&page=1", "http://b.test/?sid=3&page=1", "http://b.test/?sid=4&page=2",
		"http://b.test/?sid=4&page=2", "http://b.test/?page=1&utm_source=x",
		"http://a.test/?q=1", "http://a.test/x?q=2&q=3", "http://a.test/none",
	)
	assert.Equal(t, []SiteParams{
		{Site: "b.test", Params: []Param{
			{Name: "sid", References: 5, URLs: 4, Values: 4, Merges: 1, Exact: true, Examples: []string{"http://www.b.test/?sid=1&page=1", "http://b.test/?sid=2&page=1"}},
			{Name: "page", References: 6, URLs: 5, Values: 2, Merges: 0, Exact: true, Examples: []string{"http://www.b.test/?sid=1&page=1", "http://b.test/?sid=4&page=2"}},
		}},
		{Site: "a.test", Params: []Param{
			{Name: "q", References: 2, URLs: 2, Values: 2, Merges: 0, Exact: true, Examples: []string{"http://a.test/?q=1", "http://a.test/x?q=2&q=3"}},
		}},
	}, r.Sites())
	assert.Contains(t, r.String(), "sid: tracking would merge 1 of 4 URLs (5 references, 4 values): http://www.b.test/?sid=1&page=1 http://b.test/?sid=2&page=1")
}

func TestAReportIsJSON(t *testing.T) {
	r := report(t, "http://a.test/?q=1")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{"sites":[{"site":"a.test","params":[{"name":"q","references":1,"urls":1,"values":1,"merges":0,"exact":true,
		"examples":["http://a.test/?q=1"]}],"beyond":{"names":0}}],"beyond":{"names":0}}`, string(text))
}

func TestAReportEstimatesWhatItCannotCount(t *testing.T) {
	r := &ParamReport{}
	for i := range 20_000 {
		text := fmt.Sprintf("http://a.test/p%d?sid=%d", i%1000, i)
		r.Add(URL{Request: text, Key: Key{Text: text}, Origin: "http://a.test", Unknown: []string{"sid"}})
		text = fmt.Sprintf("http://a.test/p%d?q=%d", i, i)
		r.Add(URL{Request: text, Key: Key{Text: text}, Origin: "http://a.test", Unknown: []string{"q"}})
	}
	params := r.Sites()[0].Params
	p, none := params[0], params[1]
	assert.Zero(t, none.Merges, "a difference that could be chance is none")
	assert.False(t, p.Exact)
	assert.InEpsilon(t, 20_000, p.URLs, 3*sketchError)
	assert.InEpsilon(t, 19_000, p.Merges, 3*sketchError)
	assert.Contains(t, r.String(), "about")
}

func TestAReportIsBounded(t *testing.T) {
	r := &ParamReport{}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprint("n", i)
	}
	add := func(site string, names ...string) {
		text := "http://" + site + "/" + strings.Repeat("x", 2*maxExample)
		r.Add(URL{Request: text, Key: Key{Text: text}, Origin: Origin("http://" + site), Unknown: names})
	}
	add("a.test", many...)
	for _, name := range many {
		add("b.test", name)
	}
	add("c.test", strings.Repeat("n", maxName+1))
	for i := range 2 * maxReportNames {
		add(fmt.Sprintf("s%d.test", i), "n")
	}
	names := 0
	for _, site := range r.Sites() {
		names += len(site.Params)
		switch site.Site {
		case "a.test":
			assert.Len(t, site.Params, maxURLNames)
			assert.EqualValues(t, len(many)-maxURLNames, site.Beyond.Names)
		case "b.test":
			assert.Len(t, site.Params, maxSiteNames)
			assert.EqualValues(t, len(many)-maxSiteNames, site.Beyond.Names)
			assert.Less(t, len(site.Beyond.Example), maxExample+10)
		}
	}
	assert.Equal(t, maxReportNames, names)
	assert.EqualValues(t, 1+2*maxReportNames-(maxReportNames-maxURLNames-maxSiteNames), r.Beyond().Names)
	assert.Contains(t, r.Beyond().Example, "http://c.test/")
	assert.Contains(t, r.String(), "beyond the bound")
}

func TestAReportIsSafeForConcurrentUse(t *testing.T) {
	r := &ParamReport{}
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := range 100 {
				text := fmt.Sprintf("http://a.test/?n=%d", worker*100+i)
				r.Add(URL{Request: text, Key: Key{Text: text}, Origin: "http://a.test", Unknown: []string{"n"}})
				_ = r.String()
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, 800, r.Sites()[0].Params[0].References)
}
