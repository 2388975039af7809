package robots

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	for _, status := range []int{400, 401, 402, 403, 404, 410, 451} {
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
	assert.Equal(t, "disallow-all", meaning(b), "S-F11: its own file, not what a redirect led to")
	assert.Equal(t, "https://b.example/robots.txt", asked)
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

func TestSF13EachPortHasItsOwnFile(t *testing.T) {
	record, asked := web(t, "http://a.example:8080", "-- http://a.example:8080/robots.txt --\n"+forbidX)
	assert.Equal(t, "http://a.example:8080/robots.txt", asked)
	assert.Equal(t, "parse", meaning(record))
}

func TestARecordIsUsedForADayAtMost(t *testing.T) {
	for _, row := range []struct {
		control string
		want    time.Duration
	}{
		{"", 24 * time.Hour},
		{"public, max-age=3600", time.Hour},
		{`Max-Age="3600"`, time.Hour},
		{"max-age=31536000", 24 * time.Hour},
		{"max-age=99999999999999999999", 24 * time.Hour},
		{"max-age=-1", 24 * time.Hour},
		{"max-age=0", minLifetime},
		{"no-cache", minLifetime},
		{"max-age=3600, no-store", minLifetime},
	} {
		record, _ := web(t, "http://a.example", "-- http://a.example/robots.txt --\nHTTP 200\nCache-Control: "+row.control+"\n\n"+forbidX)
		assert.Equal(t, row.want, record.Expires.Sub(record.Fetched), row.control)
	}
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
