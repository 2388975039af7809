package robots

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/fetch/fetchtest"
	"github.com/weircrawl/weir/urlnorm"
)

const forbidX = "User-agent: *\nDisallow: /x\n"

// web asks origin for its robots.txt in a web of the given sections.
func web(t *testing.T, origin urlnorm.Origin, sections string) (Record, string) {
	t.Helper()
	w, err := fetchtest.Parse("robots_test", []byte(sections))
	require.NoError(t, err)
	client, err := fetch.New(fetch.Config{UserAgent: "weirbot/1.0", Transport: w})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	var asked []string
	do := func(ctx context.Context, r fetch.Request) fetch.Response {
		asked = append(asked, r.URL)
		return client.Do(ctx, r)
	}
	return Fetch(t.Context(), do, origin), strings.Join(asked, " ")
}

// meaning is what a record allows, in one word.
func meaning(r Record) string {
	switch x, y := r.Decide("weirbot", "/x"), r.Decide("weirbot", "/y"); {
	case !x.Allowed && y.Allowed:
		return "parse"
	case x.Allowed && y.Allowed:
		return "allow-all"
	case !x.Allowed && !y.Allowed:
		return "disallow-all"
	}
	return "odd"
}

func TestSF1UnreachableRulesForbidEverything(t *testing.T) {
	for _, row := range []struct{ name, section, rule string }{
		{"robots.txt", "HTTP 500\n\nUser-agent: *\nAllow: /", "status 500"},
		{"robots.txt", "HTTP 503", "status 503"},
		{"robots.txt", "HTTP 599", "status 599"},
		{"robots.txt", "HTTP 429", "status 429"},
		{"*", "! refused", "unreachable: connect"},
		{"*", "! dns", "unreachable: dns"},
		{"robots.txt", "! delay 1h", "unreachable: timeout"},
		{"robots.txt", "! truncate 10\n\n" + forbidX, "incomplete: disconnect"},
		{"robots.txt", "HTTP 304", "unreachable: protocol"}, // nobody asked whether it changed
		{"robots.txt", "HTTP 999", "unreachable: protocol"},
		{"robots.txt", "! garbage", "unreachable: protocol"},
		{"robots.txt", "! stall 10\n\n" + forbidX, "incomplete: time"},
	} {
		synctest.Test(t, func(t *testing.T) {
			record, _ := web(t, "http://a.example", "-- http://a.example/"+row.name+" --\n"+row.section+"\n")
			assert.Equal(t, Decision{Rule: row.rule}, record.Decide("weirbot", "http://a.example/"), "%q", row.section)
			assert.Equal(t, record.Fetched, record.Expires)
			assert.Empty(t, record.Digest())
		})
	}
}

func TestSF2UnavailableRulesForbidNothing(t *testing.T) {
	for _, status := range []int{400, 401, 402, 403, 404, 410, 418, 451, 499} {
		record, _ := web(t, "http://a.example", fmt.Sprintf("-- http://a.example/robots.txt --\nHTTP %d\n\n%s", status, "User-agent: *\nDisallow: /\n"))
		assert.Equal(t, Decision{Allowed: true, Rule: fmt.Sprintf("status %d", status)}, record.Decide("weirbot", "/"))
		assert.Empty(t, record.Body)
	}
}

func TestSF10RedirectedRulesHoldForTheOriginThatWasAsked(t *testing.T) {
	const sections = `
-- http://a.example/robots.txt --
HTTP 301
Location: https://b.example/team-a/robots.txt
-- https://b.example/team-a/robots.txt --
User-agent: *
Disallow: /x
-- https://b.example/robots.txt --
User-agent: *
Disallow: /
`
	a, asked := web(t, "http://a.example", sections)
	assert.Equal(t, "parse", meaning(a))
	assert.Equal(t, urlnorm.Origin("http://a.example"), a.Origin)
	assert.Equal(t, []string{"https://b.example/team-a/robots.txt"}, a.Hops)
	assert.Equal(t, "http://a.example/robots.txt https://b.example/team-a/robots.txt", asked)

	b, asked := web(t, "https://b.example", sections)
	assert.Equal(t, "disallow-all", meaning(b), "its own file, not what a redirect led to")
	assert.Equal(t, "https://b.example/robots.txt", asked)
}

func TestSF11RedirectedRulesWithAQueryAreNotThoseOfTheirHost(t *testing.T) {
	const sections = `
-- http://a.example/robots.txt --
HTTP 302
Location: http://b.example/robots.txt?from=a
-- http://b.example/robots.txt?from=a --
User-agent: *
Disallow: /x
-- http://b.example/robots.txt --
User-agent: *
Disallow: /
`
	a, _ := web(t, "http://a.example", sections)
	assert.Equal(t, "parse", meaning(a))
	cache := NewCache(CacheConfig{})
	cache.Put(a.Origin, a.Rules(), a.Expires)
	_, known := cache.Get("http://b.example", a.Fetched)
	assert.False(t, known)
	b, asked := web(t, "http://b.example", sections)
	assert.Equal(t, "disallow-all", meaning(b))
	assert.Equal(t, "http://b.example/robots.txt", asked)
}

func TestSF12ARedirectLeadsToAnotherHost(t *testing.T) {
	record, _ := web(t, "http://a.example", `
-- http://a.example/robots.txt --
HTTP 301
Location: https://www.a.example/robots.txt
-- https://www.a.example/robots.txt --
User-agent: *
Disallow: /x
`)
	assert.Equal(t, "parse", meaning(record))
}

func TestRedirectsThatLeadNowhereForbidNothing(t *testing.T) {
	for _, location := range []string{"/robots.txt", "mailto:robots@a.example", "http://u:p@a.example/"} {
		record, asked := web(t, "http://a.example", "-- http://a.example/robots.txt --\nHTTP 302\nLocation: "+location+"\n")
		assert.Equal(t, Decision{Allowed: true, Rule: "redirects"}, record.Decide("weirbot", "/x"), location)
		assert.LessOrEqual(t, len(strings.Fields(asked)), 1+maxHops)
	}
}

func TestSF12FiveRedirectsAreFollowed(t *testing.T) {
	for hops, want := range map[int]string{5: "parse", 6: "allow-all"} {
		var b strings.Builder
		for i := range hops {
			from := fmt.Sprintf("http://%d.example/robots.txt", i)
			fmt.Fprintf(&b, "-- %s --\nHTTP 307\nLocation: http://%d.example/robots.txt\n", from, i+1)
		}
		fmt.Fprintf(&b, "-- http://%d.example/robots.txt --\n%s", hops, forbidX)
		record, asked := web(t, "http://0.example", b.String())
		assert.Equal(t, want, meaning(record), "%d redirects", hops)
		assert.Len(t, record.Hops, 5)
		assert.Len(t, strings.Fields(asked), 6)
	}
}

func TestSF13EachPortHasItsOwnFile(t *testing.T) {
	record, asked := web(t, "http://a.example:8080", "-- http://a.example:8080/robots.txt --\n"+forbidX)
	assert.Equal(t, "http://a.example:8080/robots.txt", asked)
	assert.Equal(t, "parse", meaning(record))
	cache := NewCache(CacheConfig{})
	cache.Put(record.Origin, record.Rules(), record.Expires)
	for origin, want := range map[urlnorm.Origin]bool{"http://a.example:8080": true, "http://a.example": false, "https://a.example:8080": false} {
		_, known := cache.Get(origin, record.Fetched)
		assert.Equal(t, want, known, origin)
	}
}

func TestARecordIsUsedForADayAtMost(t *testing.T) {
	const day = 24 * time.Hour
	for _, row := range []struct {
		header string
		want   time.Duration
	}{
		{"", day},
		{"Cache-Control: public, max-age=3600", time.Hour},
		{"Cache-Control: Max-Age=\"3600\"", time.Hour},
		{"Cache-Control: max-age=31536000", day},
		{"Cache-Control: max-age=99999999999999999999", day},
		{"Cache-Control: max-age=-1", day},
		{"Cache-Control: max-age=soon", day},
		{"Cache-Control: max-age=0", minLifetime},
		{"Cache-Control: no-cache", minLifetime},
		{"Cache-Control: max-age=3600, no-store", minLifetime},
		{"Cache-Control: max-age=7200\nCache-Control: max-age=3600", time.Hour},
		{"Cache-Control: max-age=3600, max-age=7200", time.Hour},
		{"Cache-Control: max-age=7200\nAge: 3600", time.Hour},
		{"Cache-Control: max-age=172800\nAge: 90000", 172800*time.Second - 90000*time.Second},
		{"Cache-Control: max-age=3600\nAge: 7200", minLifetime},
		{"Cache-Control: max-age=7200\nAge: old", 2 * time.Hour},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Mon, 05 Jan 2026 12:00:00 GMT", 2 * time.Hour},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Monday, 05-Jan-26 12:00:00 GMT", 2 * time.Hour},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Mon, 12 Jan 2026 12:00:00 GMT", day},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Sun, 04 Jan 2026 12:00:00 GMT", minLifetime},
		{"Expires: 0", minLifetime},
		{"Expires: Thu, 01 Jan 1970 00:00:00 GMT", minLifetime},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Mon, 05 Jan 2026 12:00:00 GMT\nCache-Control: max-age=3600", time.Hour},
		{"Date: Mon, 05 Jan 2026 10:00:00 GMT\nExpires: Mon, 05 Jan 2026 12:00:00 GMT\nCache-Control: public", 2 * time.Hour},
	} {
		for _, status := range []int{200, 404} {
			record, _ := web(t, "http://a.example", fmt.Sprintf("-- http://a.example/robots.txt --\nHTTP %d\n%s\n\n%s", status, row.header, forbidX))
			assert.Equal(t, row.want, record.Expires.Sub(record.Fetched), row.header)
		}
	}
}

func TestADateCountsFromWhenTheAnswerCameIfItHasNone(t *testing.T) {
	header := http.Header{"Expires": {"Fri, 02 Jan 2026 13:00:00 GMT"}}
	assert.Equal(t, time.Hour, lifetime(header, noon))
}

func TestAFileThatIsTooLongIsCutAtALine(t *testing.T) {
	for _, tail := range []struct{ before, after string }{
		{"# a com", "ment\nDisallow: /y\n"},
		{"Disallow: /", "yes\n"}, // cut here it would forbid everything
	} {
		comment := "#" + strings.Repeat("c", MaxBody-len(forbidX)-len("#\n")-len(tail.before)) + "\n"
		record, _ := web(t, "http://a.example", "-- http://a.example/robots.txt --\n"+forbidX+comment+tail.before+tail.after)
		assert.Equal(t, fetch.TruncatedLength, record.Truncated)
		assert.Len(t, record.Body, MaxBody+1)
		assert.Equal(t, "parse", meaning(record), "%q", tail.before)
	}
}

func TestAnAnswerIsParsedWhateverItLooksLike(t *testing.T) {
	const page = "<!doctype html><title>Not found</title>\n<p>User-agent: is a header.\n"
	for _, row := range []struct{ name, section, want string }{
		{"a type that is not text/plain", "HTTP 200\nContent-Type: text/html\n\n" + forbidX, "parse"},
		{"a page in its place has no rules", "HTTP 200\nContent-Type: text/html\n\n" + page, "allow-all"},
		{"a part of it is what is known", "HTTP 206\nContent-Range: bytes 0-25/99\n\n" + forbidX, "parse"},
		{"nothing", "HTTP 204", "allow-all"},
		{"a coding", "! gzip\n\n" + forbidX, "parse"},
	} {
		record, _ := web(t, "http://a.example", "-- http://a.example/robots.txt --\n"+row.section)
		assert.Equal(t, row.want, meaning(record), row.name)
		assert.Equal(t, ByRules, record.Verdict(), row.name)
	}
}

func TestAFileInUTF16IsRead(t *testing.T) {
	encoded := func(mark string, order binary.AppendByteOrder, text string) []byte {
		body := []byte(mark)
		for _, unit := range utf16.Encode([]rune(text)) {
			body = order.AppendUint16(body, unit)
		}
		return body
	}
	const text = "# \u0a0d\u0d0a\r\nUser-agent: *\r\nDisallow: /\u00fc\r\n"
	little, big := encoded("\xff\xfe", binary.LittleEndian, text), encoded("\xfe\xff", binary.BigEndian, text)
	for _, body := range [][]byte{little, big, []byte("\ufeff" + text)} {
		assert.Equal(t, 3, Parse(body).Decide("weirbot", "/%C3%BC").Line)
		assert.True(t, Parse(body).Decide("weirbot", "/").Allowed)
	}
	long := encoded("\xff\xfe", binary.LittleEndian, text+strings.Repeat("#", MaxBody/2-len(text)-5)+"\nDisallow: /yes\n")
	require.Greater(t, len(long), MaxBody)
	half := encoded("\xfe\xff", binary.BigEndian, text+strings.Repeat("#", MaxBody/2-len([]rune(text))-len("\nDisallow: /y")-1)+"\nDisallow: /y\u0a05\n")
	require.Equal(t, "y\n", string([]byte{half[MaxBody-1], half[MaxBody]}), "half a character that looks like the end of a line")
	assert.True(t, Parse(half).Decide("weirbot", "/y").Allowed)
	assert.False(t, Parse(long).Decide("weirbot", "/%C3%BC").Allowed)
	assert.True(t, Parse(long).Decide("weirbot", "/y").Allowed, "half a line is none")
}

func TestSF14AllHeadersAreThoseOfTheCaller(t *testing.T) {
	w, err := fetchtest.Parse("robots_test", nil)
	require.NoError(t, err)
	require.NoError(t, w.Handle("http://a.example/robots.txt", http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "weirbot/1.0" {
			out.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(out, forbidX)
	})))
	client, err := fetch.New(fetch.Config{UserAgent: "weirbot/1.0", Transport: w})
	require.NoError(t, err)
	defer client.Close()
	do := func(ctx context.Context, q fetch.Request) fetch.Response {
		assert.Empty(t, q.Header, "what is sent is for the caller to say")
		return client.Do(ctx, q)
	}
	assert.Equal(t, "parse", meaning(Fetch(t.Context(), do, "http://a.example")))
}

func TestALineThatEndsWhereTheFileIsCutIsWhole(t *testing.T) {
	const head, tail = "User-agent: *\n#", "\nDisallow: /x"
	body := head + strings.Repeat("c", MaxBody-len(head)-len(tail)) + tail
	require.Len(t, body, MaxBody)
	for _, end := range []string{"", "\nDisallow: /y\n", "\r\nDisallow: /y\n"} {
		rules := Parse([]byte(body + end))
		assert.False(t, rules.Decide("weirbot", "/x").Allowed, "%q", end)
		assert.True(t, rules.Decide("weirbot", "/y").Allowed, "%q", end)
	}
}
