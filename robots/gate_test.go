package robots

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/fetch"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func good() Record {
	return Record{
		Origin: "http://a.example", Status: 200, Class: fetch.Fetched, Fetched: noon, Expires: noon.Add(24 * time.Hour),
		Parser: Parser, Body: []byte("User-agent: *\nCrawl-delay: 5\nDisallow: /x\n"),
	}
}

func TestAReadableFileOpensTheGate(t *testing.T) {
	g := good().Gate(Visit{Agent: "weirbot", Attempt: 1, Now: noon})
	assert.Equal(t, Open, g.Step)
	assert.Equal(t, noon.Add(24*time.Hour), g.Until)
	assert.Equal(t, 5*time.Second, g.Note.Delay)
	assert.False(t, g.Held)
	assert.False(t, g.Rules.Decide("weirbot", "/x").Allowed)
	assert.True(t, g.Rules.Decide("weirbot", "/y").Allowed)
}

func TestWhatCannotBeReadIsAskedForAgainOrEndsTheOrigin(t *testing.T) {
	for _, row := range []struct {
		name    string
		record  Record
		attempt int
		step    Step
		reason  string
	}{
		{"5xx", Record{Status: 503, Class: fetch.Busy}, 1, Busy, "robots: unreachable"},
		{"429", Record{Status: 429, Class: fetch.Busy}, 4, Busy, "robots: unreachable"},
		{"a part was lost", Record{Status: 200, Class: fetch.Fetched, Truncated: fetch.TruncatedTime}, 1, Busy, "robots: unreachable"},
		{"a wall", Record{Status: 200, Class: fetch.Challenge}, 1, Busy, "robots: unreachable"},
		{"connect", Record{Class: fetch.Connect}, 4, Retry, "connect"},
		{"tls", Record{Class: fetch.TLS}, 1, Retry, "tls"},
		{"timeout", Record{Class: fetch.Timeout}, 1, Retry, "timeout"},
		{"dns", Record{Class: fetch.DNS}, 2, Retry, "dns"},
		{"S-G7 no such host", Record{Class: fetch.DNS, Err: fetch.ErrNoHost}, 1, Retry, "dns"},
		{"S-G7 no such host, confirmed", Record{Class: fetch.DNS, Err: fetch.ErrNoHost}, 2, Fail, "dns"},
		{"private address", Record{Class: fetch.PrivateAddress}, 1, Refuse, "private_address"},
		{"private address behind a redirect", Record{Class: fetch.PrivateAddress, Hops: []string{"http://int.example/"}}, 1, Busy, "robots: unreachable"},
		{"context", Record{Class: fetch.Cancelled}, 1, Release, "cancelled"},
	} {
		got := row.record.Gate(Visit{Attempt: row.attempt, Now: noon})
		assert.Equal(t, Gate{Step: row.step, Reason: row.reason}, got, row.name)
	}
	asked := Record{Status: 503, Class: fetch.Busy, RetryAfter: time.Minute}.Gate(Visit{Attempt: 1, Now: noon})
	assert.Equal(t, time.Minute, asked.After)
}

func TestTheLastGoodRecordHoldsADayLonger(t *testing.T) {
	last := good().Gate(Visit{Agent: "weirbot", Now: noon}).Note
	failed := Record{Status: 503, Class: fetch.Busy}
	for _, row := range []struct {
		now   time.Time
		step  Step
		until time.Time
	}{
		{noon.Add(24 * time.Hour), Open, noon.Add(25 * time.Hour)},
		{noon.Add(47*time.Hour + 30*time.Minute), Open, noon.Add(48 * time.Hour)},
		{noon.Add(48 * time.Hour), Busy, time.Time{}},
	} {
		got := failed.Gate(Visit{Last: last, Attempt: 1, Now: row.now})
		assert.Equal(t, row.step, got.Step, row.now)
		assert.Equal(t, row.until, got.Until)
		if row.step == Open {
			assert.True(t, got.Held)
			assert.Equal(t, last, got.Note)
		}
	}
	assert.Equal(t, Release, Record{Class: fetch.Cancelled}.Gate(Visit{Last: last, Now: noon}).Step)
}

func TestSF2AStricterPolicyStandsBesideTheProtocol(t *testing.T) {
	stricter := Policy{Forbidden: Deny}
	for _, row := range []struct {
		status int
		policy Policy
		note   Verdict
		text   string
	}{
		{401, Policy{}, "", "allowed by status 401"},
		{401, stricter, Deny, "allowed by status 401; disallowed by policy"},
		{403, Policy{Forbidden: Allow}, "", "allowed by status 403"},
		{403, stricter, Deny, "allowed by status 403; disallowed by policy"},
		{404, stricter, "", "allowed by status 404"},
		{410, stricter, "", "allowed by status 410"},
		{400, stricter, "", "allowed by status 400"},
	} {
		record := Record{Status: row.status, Class: fetch.Denied, Fetched: noon, Expires: noon.Add(time.Hour), Parser: Parser}
		g := record.Gate(Visit{Agent: "weirbot", Policy: row.policy, Now: noon})
		require.Equal(t, Open, g.Step)
		assert.Equal(t, Allow, g.Note.Protocol)
		assert.Equal(t, row.note, g.Note.Policy)
		d := g.Rules.Decide("weirbot", "/x")
		assert.Equal(t, row.text, d.String())
		assert.True(t, d.Protocol())
		assert.Equal(t, row.note == "", d.Allowed)
		assert.Equal(t, d, stored(t, g.Note).Rules(nil).Decide("weirbot", "/x"), "a note keeps both")
		assert.True(t, g.Rules.Decide("weirbot", "/robots.txt").Allowed)
		assert.True(t, record.Decide("weirbot", "/x").Allowed, "a record is the protocol's")
	}
	readable := good().Gate(Visit{Agent: "weirbot", Policy: stricter, Now: noon})
	assert.Equal(t, ByRules, readable.Note.Protocol)
	assert.Empty(t, readable.Note.Policy)
}

// stored returns n as a later process reads it.
func stored(t *testing.T, n Note) Note {
	t.Helper()
	data, err := n.Encode()
	require.NoError(t, err)
	assert.LessOrEqual(t, len(data), maxNote)
	back, err := DecodeNote(data)
	require.NoError(t, err)
	return back
}

func TestSF1TheLastRulesHoldWhileTheFileIsUnreachable(t *testing.T) {
	open := good().Gate(Visit{Agent: "weirbot", Now: noon})
	for _, failed := range []Record{
		{Status: 500, Class: fetch.ServerError}, {Status: 503, Class: fetch.Busy}, {Status: 429, Class: fetch.Busy},
		{Class: fetch.Connect}, {Class: fetch.Timeout}, {Class: fetch.DNS, Err: fetch.ErrNoHost},
		{Status: 304, Class: fetch.Protocol}, {Status: 200, Class: fetch.Fetched, Truncated: fetch.TruncatedTime},
	} {
		g := failed.Gate(Visit{Agent: "weirbot", Last: open.Note, Attempt: 1, Now: noon.Add(25 * time.Hour)})
		assert.True(t, g.Step == Open && g.Held, "%+v", failed)
		rules := stored(t, g.Note).Rules(good().Body)
		assert.False(t, rules.Decide("weirbot", "/x").Allowed)
		assert.True(t, rules.Decide("weirbot", "/y").Allowed)
	}
}

func TestANoteMeansWhatItsRecordMeans(t *testing.T) {
	for _, record := range []Record{
		good(),
		{Status: 404, Class: fetch.Missing, Fetched: noon, Expires: noon.Add(time.Hour), Parser: Parser},
		{Status: 302, Class: fetch.Redirected, Fetched: noon, Expires: noon.Add(time.Hour), Parser: Parser, Hops: []string{"a", "b"}},
	} {
		note := record.Gate(Visit{Agent: "weirbot", Now: noon}).Note
		note.Artifact = "segment:17"
		back := stored(t, note)
		assert.Equal(t, note, back)
		assert.Equal(t, record.parsed(), back.NeedsBody())
		for _, path := range []string{"/x", "/y"} {
			assert.Equal(t, record.Decide("weirbot", path), back.Rules(record.Body).Decide("weirbot", path))
		}
	}
}

func TestANoteStaysWithinItsKibibyte(t *testing.T) {
	_, err := Note{Artifact: strings.Repeat("a", maxNote)}.Encode()
	assert.ErrorContains(t, err, "the artifact takes 1024")
	_, err = DecodeNote([]byte("{"))
	assert.ErrorContains(t, err, "robots: decode note")
	none, err := DecodeNote(nil)
	require.NoError(t, err)
	assert.True(t, none.IsZero())
}
