package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestJudgesOfHTMLFindEachFault: of rows that are wrong in one fact none passes,
// and right they do.
func TestJudgesOfHTMLFindEachFault(t *testing.T) {
	page := `{"id":"x","url":"http://a.test/d/","html":"<base href=/b/><link rel=next href=n><a href='c#e'>1<p>2</a><img srcset='i 2x'><meta http-equiv=refresh content='3;r'>","base":"http://a.test/b/","links":[` +
		`{"tag":"link","attr":"href","raw":"n","url":"http://a.test/b/n","rel":["next"],"in_head":true},` +
		`{"tag":"a","attr":"href","raw":"c#e","url":"http://a.test/b/c#e","text":"1"},{"tag":"a","attr":"href","raw":"c#e","url":"http://a.test/b/c#e","text":"2"},` +
		`{"tag":"img","attr":"srcset","raw":"i","url":"http://a.test/b/i","x":2},{"tag":"meta","attr":"content","raw":"3;r","refresh":true}]}`
	for name, rows := range map[string]struct {
		right  string
		faults map[string]string // what is written instead of what
	}{
		"html/links": {page, map[string]string{
			`"base":"http://a.test/b/"`: `"base":"http://a.test/"`, `"raw":"n"`: `"raw":"m"`, `http://a.test/b/n"`: `http://a.test/b/m"`, `["next"]`: `["prev"]`,
			`"in_head":true`: `"in_head":false`, `"text":"1"`: `"text":"3"`, `"text":"2"}`: `"text":"3"}`, `"x":2`: `"x":3`, `"3;r"`: `"4;r"`,
			`"tag":"img","attr":"srcset"`: `"tag":"img","attr":"src"`, `,{"tag":"img","attr":"srcset","raw":"i","url":"http://a.test/b/i","x":2}`: ``,
			`<p>2</a>`: `<p>2</a><a href='c#e'></a>`, `"url":"http://a.test/b/i"`: `"url":null`, `"html":"`: `"html":"<a href=q>`,
		}},
		"html/srcset":       {`{"srcset":"a 1x, b","candidates":["a","b"]}`, map[string]string{`["a","b"]`: `["b","a"]`, `a 1x`: `a 1y`}},
		"html/meta_refresh": {`{"input":"1; url=foo","delay_seconds":1,"url":"foo","valid":true}`, map[string]string{`:1,`: `:2,`, `"foo"`: `"bar"`, `true`: `false`, `"url":"foo"`: `"url":"__filename__"`}},
		"html/link_header":  {`{"header":"<a>; rel=next","links":[["a",["next"]]]}`, map[string]string{`[["a",["next"]]]`: `[]`, `["next"]`: `["prev"]`, `[["a"`: `[["b"`}},
		"html/robots_meta": {`{"meta":[["robots","noindex"]],"x_robots_tag":["bot: nofollow"],"agent":"bot","index":false,"follow":false}`,
			map[string]string{`"index":false`: `"index":true`, `"follow":false`: `"follow":true`, `"agent":"bot"`: `"agent":"other"`}},
		"html/w3lib links": {`{"fn":"get_meta_refresh","text":"<meta http-equiv=refresh content='.5;x'>","baseurl":"http://a.test/","result":[0.5,"http://a.test/x"]}`,
			map[string]string{`0.5`: `1.5`, `a.test/x"`: `a.test/y"`, `[0.5,"http://a.test/x"]`: `[null,null]`, `refresh content`: `fresh content`}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, judged(t, name, rows.right))
			for from, to := range rows.faults {
				assert.Contains(t, rows.right, from)
				assert.NotEmpty(t, judged(t, name, replaceOnce(rows.right, from, to)), "%s for %s", to, from)
			}
		})
	}
	assert.NotEmpty(t, judged(t, "html/w3lib links", `{"fn":"get_base_url","text":"<base href=/b>","baseurl":"http://a.test/","result":"http://a.test/"}`))
	assert.Empty(t, judged(t, "html/w3lib links", `{"fn":"get_base_url","text":"<base href=/b>","baseurl":"http://a.test/","result":"http://a.test/b"}`))
}

// judged returns what is wrong with a row.
func judged(t *testing.T, name, row string) string {
	t.Helper()
	for _, s := range htmlSuites {
		if s.name == name {
			v := s.judge(os.DirFS("testdata"), json.RawMessage(row))
			assert.False(t, v.foreign)
			return v.failure
		}
	}
	t.Fatal("no suite " + name)
	return ""
}

func replaceOnce(s, from, to string) string { return strings.Replace(s, from, to, 1) }
