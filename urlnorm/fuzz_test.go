package urlnorm

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"github.com/stretchr/testify/require"
)

// bases are pages of every shape that resolution looks at.
var bases = []string{
	page,
	"https://a.test/",
	"http://a.test:8080/x//y/?q#f",
	"http://127.0.0.1:1/p",
	"http://a.test./x/.y/z",
	"HTTP://A.test/%7e/%2E%2e/x",
	"http://a.test",
	"ftp://a.test/x",
	"",
}

func seeds(f *testing.F) {
	for _, base := range bases {
		for _, ref := range []string{
			"", "#", "?", "x", "./x", "../x", "../../../x", "/x", "//b.test/x", "///x", "x:y", "a/b:c",
			"http://b.test", "https://b.test/x?y#z", "http:x", "HTTP://B.test/%7Eu/../x?b=1#y", "mailto:x@b.test",
			"/%%411", "/%zz", "/a%2fb", "/.", "/..", "/.x", "/...", "/x.", "/x/.", "../..", "?a=b&utm_source=c&&", " /x ", "/x #y", "\\x", "/x\ty",
			"http://1.2.3.4/", "http://1.2.3/", "http://0x7f.1/", "http://a.b-/", "http://-a.b/", "http://a..b/", "http://xn--a/", "http://ab--c.d/",
			"http://b.test:80/", "http://b.test:080/", "http://b.test:0/", "http://b.test:65536/", "http://b.test:/", "http://u@b.test/", "http://b_c.test/",
		} {
			f.Add(base, ref)
		}
	}
}

// FuzzFastPathAnswersAsTheSlowOne holds resolveFast to the URL standard.
func FuzzFastPathAnswersAsTheSlowOne(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, base, ref string) {
		ref = trimControls(ref)
		fast, ok := resolveFast(&URL{Request: base}, ref)
		if !ok {
			t.Skip()
		}
		slow, err := resolveSlow(&URL{Request: base}, ref)
		require.NoError(t, err, "base %q, ref %q: fast says %q", base, ref, fast)
		require.Equal(t, slow, fast, "base %q, ref %q", base, ref)
	})
}

// FuzzResolutionIsTheURLStandards holds resolveSlow to an independent parser of
// the whole standard.
func FuzzResolutionIsTheURLStandards(f *testing.F) {
	seeds(f)
	f.Add("http!", "http:0") // no base
	f.Add("http:0@", "http:0")
	f.Fuzz(func(t *testing.T, base, ref string) {
		if len(base)+len(ref) > 1000 || !utf8.ValidString(base+ref) {
			t.Skip() // the other parser takes quadratic time, and joins halves of a character
		}
		ref = trimControls(ref)
		want, ok := standard(base, ref)
		got, err := resolveSlow(&URL{Request: base}, ref)
		on, _ := resolveSlow(nil, base)
		if newerHost(on) || newerHost(want) || newerHost(got) || oddNumber.MatchString(base) || oddNumber.MatchString(ref) {
			t.Skip()
		}
		require.Equal(t, ok, err == nil, "base %q, ref %q: the standard says %q, we %q (%v)", base, ref, want, got, err)
		if ok {
			require.Equal(t, want, got, "base %q, ref %q", base, ref)
		}
	})
}

// newerHost reports whether the host of request is one of which the URL standard
// says something else since the other parser was written: web-platform-tests are
// the judge of these (internal/conformance).
func newerHost(request string) bool {
	_, rest, _ := strings.Cut(request, "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.Contains(host, "xn--") || strings.Contains("."+host, "..") ||
		strings.ContainsAny(host, "!\"$&'()*+,;=_`{}~")
}

// oddNumber finds what the other parser reads as Go reads numbers: with a sign, or
// beyond 64 bits.
var oddNumber = regexp.MustCompile(`(?i)(^|[^g-wyz])[+-]|[0-9a-f]{16}`)

// standard resolves ref with nlnwa/whatwg-url alone, and refuses what this
// package does.
func standard(base, ref string) (string, bool) {
	u, err := whatwg.Parse(ref)
	if b, broken := whatwg.Parse(base); broken == nil && isHTTP(b.Scheme()) && resolvable(b.Hostname()) {
		u, err = b.Parse(ref)
	}
	if err != nil || !isHTTP(u.Scheme()) || u.Username()+u.Password() != "" || !resolvable(u.Hostname()) {
		return "", false
	}
	return u.Href(true), true
}

// FuzzNormalizingTwiceIsOnce: a request is its own normal form.
func FuzzNormalizingTwiceIsOnce(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, base, ref string) {
		once, err := Standard{}.Normalize(&URL{Request: base}, ref)
		if err != nil {
			t.Skip()
		}
		twice, err := Standard{}.Normalize(nil, once.Request)
		require.NoError(t, err, "%q", once.Request)
		require.Equal(t, once.Request, twice.Request)
		require.Equal(t, once.Key, twice.Key)
		require.Equal(t, once.Origin, twice.Origin)
		require.LessOrEqual(t, len(once.Request), MaxLength)
	})
}

// FuzzKeyMergesOnlyWhatRFC3986Merges compares the exact key of a request with
// its tokens: characters and percent-encoded octets, where an encoded unreserved
// character is that character.
func FuzzKeyMergesOnlyWhatRFC3986Merges(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, base, ref string) {
		u, err := StandardExact{}.Normalize(&URL{Request: base}, ref)
		if err != nil {
			t.Skip()
		}
		request := withoutTrailingDot(u.Request[:originEnd(u.Request)]) + u.Request[originEnd(u.Request):]
		require.Equal(t, tokens(request), tokens(u.Key.Text), "request %q, key %q", u.Request, u.Key.Text)
		require.True(t, strings.HasPrefix(u.Key.Text, string(u.Origin)), "%+v", u)

		again := URL{Request: u.Key.Text}
		StandardExact{}.rules().compare(&again)
		require.Equal(t, u.Key, again.Key)
	})
}

// tokens cuts s into characters and encoded octets.
func tokens(s string) (all []string) {
	for i := 0; i < len(s); i++ {
		octet, ok := decode(s[i:])
		switch {
		case s[i] != '%' || !ok:
			all = append(all, s[i:i+1])
			continue
		case strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", octet) >= 0:
			all = append(all, string(rune(octet)))
		default:
			all = append(all, strings.ToUpper(s[i:i+3]))
		}
		i += 2
	}
	return all
}

// FuzzRulesFoldWithinASite: whatever rules a site is given, a request is fixed, its
// key is bounded and the same again, and is folded only under a name.
func FuzzRulesFoldWithinASite(f *testing.F) {
	for _, ref := range []string{
		"http://a.test/A//b/Index.html;jsessionid=1?b=2&a=1&&sid=3&utm_source=x#!/r", "http://www.a.test./(S(1))/x/?#/r\u00fc",
		"http://a.test/%41%2f%zz/?%61=1&c", "http://a.test//", "http://a.test/;sid=/;sid=;x=1;sid", "http://b.test/A?&",
	} {
		f.Add(uint16(1<<len(ruleVersions)-1), ref)
		f.Add(uint16(0), ref)
	}
	f.Fuzz(func(t *testing.T, chosen uint16, ref string) {
		var rules []Rule
		for i, known := range ruleVersions {
			if chosen>>i&1 == 1 {
				rules = append(rules, known.rule)
			}
		}
		n := Standard{
			Rules:  map[string][]Rule{"a.test": rules},
			Params: map[string]map[string]Class{"a.test": {"a": Content, "b": Ordered, "c": Tracking}},
		}
		u, err := n.Normalize(nil, ref)
		if err != nil {
			t.Skip()
		}
		require.LessOrEqual(t, max(len(u.Request), len(u.Key.Text)), MaxLength)
		again, err := n.Normalize(nil, u.Request+u.Key.Route())
		if len(u.Request+u.Key.Route()) > MaxLength {
			t.Skip()
		}
		require.NoError(t, err, "%q", u.Request)
		require.Equal(t, u.Request, again.Request)
		require.Equal(t, u.Key, again.Key, "%q", u.Request)
		require.Equal(t, u.Origin, again.Origin)

		exact, err := StandardExact{}.Normalize(nil, ref)
		require.NoError(t, err)
		text := strings.TrimSuffix(u.Key.Text, u.Key.Route())
		require.Equal(t, len(u.Folded) > 0, text != exact.Key.Text, "%v: %q and %q", u.Folded, text, exact.Key.Text)
		for _, rule := range u.Folded {
			require.True(t, rule == FoldTracking || u.Origin.Site() == "a.test", "%v of %s", u.Folded, u.Origin)
		}
		if u.Request != exact.Request {
			require.True(t, slices.Contains(u.Folded, FoldToBare) || slices.Contains(u.Folded, FoldToWWW), "%q became %q", exact.Request, u.Request)
		}
	})
}

// FuzzAReportIsBoundedAndExactWhileItCan compares a report with sets that are not
// bounded.
func FuzzAReportIsBoundedAndExactWhileItCan(f *testing.F) {
	f.Add("http://a.test/?a=1&b=2\nhttp://a.test/?a=2&b=2&a=3\nhttp://b.test/x?a\nhttp://a.test/?a=1&b=2")
	f.Add("http://a.test/?" + strings.Repeat("x&y&z=1&", 40))
	f.Fuzz(func(t *testing.T, text string) {
		var report ParamReport
		type param struct{ site, name string }
		references, urls, names := map[param]int64{}, map[param]map[string]bool{}, int64(0)
		for ref := range strings.SplitSeq(text, "\n") {
			u, err := Standard{}.Normalize(nil, ref)
			if err != nil {
				continue
			}
			report.Add(u)
			seen := map[string]bool{}
			for _, name := range u.Unknown {
				p := param{u.Origin.Site(), name}
				names++
				if seen[name] {
					continue
				}
				seen[name] = true
				references[p]++
				if urls[p] == nil {
					urls[p] = map[string]bool{}
				}
				urls[p][u.Key.Text] = true
			}
		}
		total, left := 0, report.Beyond().Names
		for _, site := range report.Sites() {
			require.LessOrEqual(t, len(site.Params), maxSiteNames)
			total += len(site.Params)
			left += site.Beyond.Names
			for _, got := range site.Params {
				p := param{site.Site, got.Name}
				require.LessOrEqual(t, got.References, references[p])
				require.LessOrEqual(t, len(got.Examples), 2)
				if got.Exact && got.References == references[p] {
					require.EqualValues(t, len(urls[p]), got.URLs, "%v", p)
					require.Less(t, got.Merges, max(got.URLs, 1))
				}
			}
		}
		require.LessOrEqual(t, total, maxReportNames)
		require.LessOrEqual(t, left, names, "what was left out was seen")
		if left == 0 {
			require.Len(t, references, total, "nothing is missing")
		}
	})
}
