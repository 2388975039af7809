package robots

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/fetch"
)

const (
	challengePage = "Content-Type: text/html\n\n<title>Just a moment...</title><script>window._cf_chl_opt={}</script>\n"
	loginPage     = "Content-Type: text/html\n\n<title>Login</title><form action=/login method=post><input name=user><input type=password name=password></form>\n"
	paymentPage   = "Content-Type: text/html\n\n<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"isAccessibleForFree\":false,\"hasPart\":{\"@type\":\"WebPageElement\",\"isAccessibleForFree\":false,\"cssSelector\":\".paid\"}}</script>\n"
)

func TestAWallBeforeTheFileSaysNothingOfTheRules(t *testing.T) {
	for _, row := range []struct {
		name, sections string
		class          fetch.Class
	}{
		{"challenge", "HTTP 200\n" + challengePage, fetch.Challenge},
		{"challenge, marked in the header", "HTTP 200\nCF-Mitigated: challenge\n\n" + forbidX, fetch.Challenge},
		{"login", "HTTP 200\n" + loginPage, fetch.Login},
		{"payment", "HTTP 200\n" + paymentPage, fetch.Payment},
		{"redirect to a login", "HTTP 302\nLocation: /login?next=/robots.txt\n", fetch.Login},
		{"challenge behind a redirect", "HTTP 302\nLocation: /other\n\n-- http://a.example/other --\nHTTP 200\n" + challengePage, fetch.Challenge},
	} {
		t.Run(row.name, func(t *testing.T) {
			record, _ := web(t, "http://a.example", "-- http://a.example/robots.txt --\n"+row.sections)
			assert.Equal(t, row.class, record.Class)
			assert.Equal(t, Decision{Rule: "unreachable: " + string(row.class)}, record.Decide("weirbot", "/x"))
			assert.Equal(t, Gate{Step: Busy, Reason: unreachableReason}, record.Gate(Visit{Attempt: 1, Now: noon}))
			assert.Equal(t, record.Fetched, record.Expires)
			assert.Empty(t, record.Body)
			assert.Empty(t, record.Digest())
		})
	}
}

func TestAnEarlierFileHoldsWhileAWallStandsBeforeIt(t *testing.T) {
	record := Record{Status: http.StatusOK, Class: fetch.Challenge}
	last := Note{Status: http.StatusOK, Fetched: noon, Expires: noon, Protocol: ByRules}
	gate := record.Gate(Visit{Last: last, Attempt: 1, Now: noon})
	assert.True(t, gate.Held)
	assert.Equal(t, last, gate.Note)
}

func TestAPageThatIsNoWallHasNoRules(t *testing.T) {
	for _, page := range []string{
		"HTTP 200\nContent-Type: text/html\n\n<title>Home</title><p>Welcome",
		"HTTP 403\n" + challengePage, "HTTP 401\nWWW-Authenticate: Basic\n\nno", "HTTP 402\n" + paymentPage,
	} {
		record, _ := web(t, "http://a.example", "-- http://a.example/robots.txt --\n"+page)
		assert.Equal(t, "allow-all", meaning(record), page)
	}
}
