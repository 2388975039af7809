package urlnorm

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ruled is Standard with rules for a.test.
func ruled(rules ...Rule) Standard { return Standard{Rules: map[string][]Rule{"a.test": rules}} }

func TestARuleFoldsWhatItSaysAndIsNamed(t *testing.T) {
	for _, row := range []struct {
		rule     Rule
		ref, key string // key empty: not folded
	}{
		{FoldSessions, "/p;jsessionid=AB.cd;x=1/q;JSESSIONID=2?a=1", "/p;x=1/q?a=1"},
		{FoldSessions, "/p?PHPSESSID=1&a=2&ASPSESSIONIDQQ=3&CfToken=4", "/p?a=2"},
		{FoldSessions, "/p?a=1;jsessionid=2&b=3", "/p?a=1&b=3"},
		{FoldSessions, "/app/(S(lit3py55t21z5v55vlm25s55))/page.aspx", "/app/page.aspx"},
		{FoldSessions, "/(A(b)S(c))/", "/"},
		{FoldSessions, "/p;v=1;jsession=2/(x)/(S(", ""},
		{FoldSessions, "/p;jsessionid/q", ""}, // no value
		{FoldSessions, "/p?mysid=1&sidebar=2", ""},
		{FoldOthers, "/p?a=1&b=2", "/p"},
		{FoldOrder, "/p?b=2&a=1&b=1", "/p?a=1&b=1&b=2"},
		{FoldOrder, "/p?a=1&b=2", ""},
		{FoldEmpty, "/p?", "/p"},
		{FoldEmpty, "/p?&a=1&&b=2&", "/p?a=1&b=2"},
		{FoldEmpty, "/p?a=&b", ""},
		{FoldSlashes, "//a///b/?x=//y", "/a/b/?x=//y"},
		{FoldIndex, "/a/index.html?x=1", "/a/?x=1"},
		{FoldIndex, "/Default.ASPX", "/"},
		{FoldIndex, "/index.html/", ""},
		{FoldIndex, "/index.jspfx", ""},
		{FoldIndex, "/index", ""},
		{FoldIndex, "/myindex.html", ""},
		{FoldTrailingSlash, "/a/b/?x=/", "/a/b?x=/"},
		{FoldTrailingSlash, "/", ""},
		{FoldPathCase, "/A/%C3%89/%zZ?B=C", "/a/%C3%89/%zz?B=C"},
		{SplitRoutes, "/a#part", ""},
	} {
		t.Run(string(row.rule)+" "+row.ref, func(t *testing.T) {
			u, err := ruled(row.rule).Normalize(nil, "http://a.test"+row.ref)
			require.NoError(t, err)
			if row.key == "" {
				assert.Equal(t, key(t, Standard{}, "http://a.test"+row.ref).Text, u.Key.Text)
				assert.Empty(t, u.Folded)
			} else {
				assert.Equal(t, "http://a.test"+row.key, u.Key.Text)
				assert.Equal(t, []Rule{row.rule}, u.Folded)
			}
			assert.Equal(t, "http://a.test"+strings.TrimSuffix(row.ref, "#part"), u.Request, "a request is not folded")
			assert.Contains(t, u.Key.Version, "+"+string(row.rule)+".1")
		})
	}
}

func TestRulesFoldTogether(t *testing.T) {
	n := ruled(FoldIndex, FoldTrailingSlash, FoldSlashes, FoldSessions, FoldOrder, FoldEmpty, FoldPathCase, FoldToWWW)
	u, err := n.Normalize(nil, "http://a.test//A/Index.html;jsessionid=1?&b=1&sid=2&a=3&utm_source=x")
	require.NoError(t, err)
	assert.Equal(t, "http://www.a.test/a?a=3&b=1", u.Key.Text)
	assert.Equal(t, []Rule{FoldToWWW, FoldSessions, FoldSlashes, FoldIndex, FoldTrailingSlash, FoldPathCase, FoldEmpty, FoldTracking, FoldOrder}, u.Folded)
	assert.Equal(t, []string{"b", "a"}, u.Unknown)
}

func TestARuleThatMergesHostsMovesTheRequest(t *testing.T) {
	for _, row := range []struct {
		rule             Rule
		site, ref, moved string
	}{
		{FoldToBare, "a.test", "https://www.a.test:8443/x?y", "https://a.test:8443/x?y"},
		{FoldToBare, "a.test", "https://WWW.A.test./x", "https://a.test/x"},
		{FoldToBare, "a.test", "http://a.test/", ""},
		{FoldToBare, "a.test", "http://www.b.a.test/", ""},
		{FoldToBare, "a.test", "http://www.www.a.test/", ""},
		{FoldToBare, "www.co.uk", "http://www.co.uk/", ""},
		{FoldToWWW, "a.test", "http://a.test/x", "http://www.a.test/x"},
		{FoldToWWW, "a.test", "http://www.a.test/x", ""},
		{FoldToWWW, "a.test", "http://b.a.test/x", ""},
		{FoldToWWW, "co.uk", "http://co.uk/", ""},
		{FoldToWWW, "localhost", "http://localhost/", ""},
		{FoldToWWW, "127.0.0.1", "http://127.0.0.1/", ""},
		{FoldToWWW, "::1", "http://[::1]:81/", ""},
	} {
		n := Standard{Rules: map[string][]Rule{row.site: {row.rule}}}
		u, err := n.Normalize(nil, row.ref)
		require.NoError(t, err)
		if row.moved == "" {
			assert.Empty(t, u.Folded, row.ref)
			assert.Equal(t, row.ref, u.Request)
			continue
		}
		assert.Equal(t, []Rule{row.rule}, u.Folded)
		assert.Equal(t, row.moved, u.Request)
		assert.Equal(t, row.moved, u.Key.Text)
		assert.Equal(t, Origin(row.moved[:originEnd(row.moved)]), u.Origin)
		again, err := n.Normalize(nil, u.Request)
		require.NoError(t, err)
		assert.Equal(t, u.Key, again.Key)
	}
}

func TestARuleMakesNothingTooLong(t *testing.T) {
	long := "http://a.test/?utm_source=" + strings.Repeat("x", MaxLength-len("http://a.test/?utm_source="))
	_, err := Standard{}.Normalize(nil, long)
	require.NoError(t, err)
	_, err = ruled(FoldToWWW).Normalize(nil, long)
	assert.Equal(t, TooLong, err, "the request")
	_, err = ruled(SplitRoutes).Normalize(nil, "http://a.test/#/"+strings.Repeat("\u00fc", MaxLength/4))
	assert.Equal(t, TooLong, err, "the key")
}

func TestARuleNamesItselfInTheVersionOfItsSite(t *testing.T) {
	plain := key(t, Standard{}, "http://a.test/").Version
	seen := map[string]Rule{plain: ""}
	for _, known := range ruleVersions {
		version := key(t, ruled(known.rule), "http://a.test/").Version
		assert.NotContains(t, seen, version)
		seen[version] = known.rule
		assert.Equal(t, plain, key(t, ruled(known.rule), "http://b.test/").Version)
	}
	a, b := ruled(FoldOrder, FoldIndex), ruled(FoldIndex, FoldOrder, FoldIndex)
	assert.Equal(t, key(t, a, "http://a.test/"), key(t, b, "http://a.test/"), "the order in which they are chosen means nothing")

	var all []Rule
	for _, known := range ruleVersions {
		all = append(all, known.rule)
	}
	n := Standard{Rules: map[string][]Rule{"a.test": all}, Params: map[string]map[string]Class{"a.test": {"x": Content}}}
	assert.LessOrEqual(t, len(key(t, n, "http://a.test/").Version), 256, "what a frontier keeps of it")

	n = Standard{Rules: map[string][]Rule{"a.test": {FoldToBare, FoldSessions}}, Params: map[string]map[string]Class{"a.test": {"x": Content}}}
	assert.Regexp(t, `^1t2\+sessions\.1t2\+to_bare\.1\+[0-9a-z]+$`, key(t, n, "http://a.test/").Version, "a word is told from its version")
}

// TestAChangedListHasANewVersion: keys of one version are compared, so one version
// is one list.
func TestAChangedListHasANewVersion(t *testing.T) {
	var lines []string
	for name := range standardParams.tracking {
		lines = append(lines, "tracking "+name)
	}
	for name := range standardParams.session {
		lines = append(lines, "session "+name)
		assert.Equal(t, strings.ToLower(name), name)
		assert.LessOrEqual(t, len(name), maxSessionName)
	}
	slices.Sort(lines)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))
	assert.Equal(t, "2 c65e097d94c8a032", standardParams.version+" "+sum[:16])
}

func TestEveryParameterHasItsMakerAndSource(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(paramsText) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		require.Len(t, fields, 4, line)
		assert.False(t, seen[fields[0]], "%s stands there twice", fields[0])
		seen[fields[0]] = true
		assert.Contains(t, []string{"tracking", "session"}, fields[1])
		assert.NotEmpty(t, fields[2])
		assert.True(t, strings.HasPrefix(fields[3], "https://"), line)
	}
	assert.Len(t, seen, len(standardParams.tracking)+len(standardParams.session))
}
