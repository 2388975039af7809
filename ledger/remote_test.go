package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/backoff"
)

func TestASourceIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	busy := errors.New("busy")
	pause, err := pauseBefore(1, &RetryError{time.Minute, busy})
	assert.NoError(t, err)
	assert.Equal(t, time.Minute, pause)
	pause, err = pauseBefore(3, &RetryError{time.Second, busy})
	assert.NoError(t, err)
	assert.Equal(t, backoff.Bound(3), pause, "never sooner than without")
	_, err = pauseBefore(1, &RetryError{backoff.MaxAsked + 1, busy})
	assert.ErrorIs(t, err, busy, "nobody waits that long")
}

// A service is a crawl service with n results, in pages of three.
type service struct {
	*httptest.Server
	n      int
	status string
	asked  []string                                          // paths and queries
	bend   func(w http.ResponseWriter, r *http.Request) bool // reports that it has answered
}

const secret = "fc-0123456789"

func newService(t *testing.T, n int) *service {
	s := &service{n: n, status: "completed"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.URL.RequestURI())
	if s.bend != nil && s.bend(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+secret {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	skip := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("skip"), &skip)
	var data []map[string]any
	for i := skip; i < min(skip+3, s.n); i++ {
		data = append(data, map[string]any{"id": fmt.Sprint("page ", i), "text": "x"})
	}
	answer := map[string]any{"success": true, "status": s.status, "total": s.n, "data": data}
	if skip+3 < s.n {
		answer["next"] = fmt.Sprintf("%s%s?key=in-the-query&skip=%d", s.URL, r.URL.Path, skip+3)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *service) remote() *Remote {
	return &Remote{URL: s.URL + "/crawl/7?key=in-the-query", Header: http.Header{"Authorization": {"Bearer " + secret}}, Ordered: true}
}

// all walks r in pages of so many results.
func all(ctx context.Context, r Source, records int) (ids []string, cursors []Cursor, err error) {
	for after := Cursor(""); ; {
		page, err := r.Page(ctx, PageRequest{After: after, Records: records})
		if err != nil {
			return ids, cursors, err
		}
		for _, result := range page.Results {
			ids = append(ids, result.ID)
		}
		if after = page.Next; after == "" {
			return ids, cursors, nil
		}
		cursors = append(cursors, after)
	}
}

func TestAPageOfAServiceIsReadWithItsJob(t *testing.T) {
	s := newService(t, 2)
	page, err := s.remote().Page(t.Context(), PageRequest{})
	require.NoError(t, err)
	want := Page{Ordered: true, Phase: frontier.Finished, Counts: NoCounts(), Results: []Result{
		{ID: "page 0", Data: json.RawMessage(`{"id":"page 0","text":"x"}`)},
		{ID: "page 1", Data: json.RawMessage(`{"id":"page 1","text":"x"}`)},
	}}
	want.Counts.Expected = 2
	assert.Equal(t, want, page)
}

func TestAServiceIsWalkedToItsEndInPagesOfAnySize(t *testing.T) {
	for _, records := range []int{1, 2, 3, 5} {
		s := newService(t, 8)
		ids, cursors, err := all(t.Context(), s.remote(), records)
		require.NoError(t, err)
		assert.Equal(t, "page 0,page 1,page 2,page 3,page 4,page 5,page 6,page 7", strings.Join(ids, ","))
		assert.Len(t, s.asked, 3, "an answer that is given in parts is asked for once")
		for i, after := range cursors { // by another process
			page, err := s.remote().Page(t.Context(), PageRequest{After: after, Records: 1})
			require.NoError(t, err)
			assert.Contains(t, ids, page.Results[0].ID, i)
		}
	}
}

func TestAServiceIsMaterialized(t *testing.T) {
	s := newService(t, 8)
	to := &File{Path: t.TempDir() + "/pages.jsonl"}
	r, err := Materialize(t.Context(), Export{From: s.remote(), To: to})
	require.NoError(t, err)
	assert.Equal(t, Complete, r.Verdict, r.Why)
	assert.NoError(t, r.Verify(t.Context(), to))
}

func TestATokenGoesIntoItsParameter(t *testing.T) {
	s := newService(t, 0)
	s.bend = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Query().Get("cursor") {
		case "":
			fmt.Fprint(w, `{"meta":{"state":"DONE","after":"/a+b="},"rows":[{"key":{"n":7}}]}`)
		case "/a+b=":
			fmt.Fprint(w, `{"meta":{"state":"done","after":null},"rows":[{"key":{"n":8}}]}`)
		}
		return true
	}
	r := s.remote()
	r.Fields = Fields{Records: "rows", ID: "key.n", Next: "meta.after", Status: "meta.state", Token: "cursor", Limit: "size"}
	ids, _, err := all(t.Context(), r, 10)
	require.NoError(t, err)
	assert.Equal(t, []string{"7", "8"}, ids)
	assert.Equal(t, "/crawl/7?key=in-the-query&size=10", s.asked[0])
}

// What one answer is, and what Page makes of it.
func TestWhatIsNoPageIsAnErrorOfItsKind(t *testing.T) {
	other := newService(t, 3)
	one := `"data":[{"id":1}]`
	for _, c := range []struct {
		name   string
		status int
		header string
		body   string
		is     error
		text   string
	}{
		{"login", 401, "", "", ErrRefused, "Unauthorized"},
		{"payment", 402, "", "", ErrRefused, "Payment Required"},
		{"denial", 403, "", "", ErrRefused, "Forbidden"},
		{"no such job", 404, "", `{"error":"gone"}`, ErrRefused, "gone"},
		{"challenge", 503, "Cf-Mitigated: challenge", "", ErrRefused, "challenge"},
		{"login page", 200, "Content-Type: text/html", "<form>", ErrRefused, "for people"},
		{"redirect to another host", 302, "Location: " + other.URL + "/", "", ErrRefused, "not where the job is"},
		{"next page on another host", 200, "", `{"status":"done",` + one + `,"next":"` + other.URL + `/x"}`, ErrRefused, "not where the job is"},
		{"next page with another scheme", 200, "", `{"status":"done",` + one + `,"next":"ftp://a.test/"}`, ErrRefused, "ftp://a.test"},
		{"next page with a key", 200, "", `{"status":"done",` + one + `,"next":"/x?k=` + secret + `"}`, ErrRefused, "credential"},
		{"server error", 500, "", "oops", errLater, "oops"},
		{"truncated", 200, "", `{"status":"done","data":[{"id":`, errNoJSON, "no JSON"},
		{"array", 200, "", `[]`, errNoJSON, "no JSON"},
		{"too big", 200, "", `{"x":"` + strings.Repeat("x", 2000) + `"}`, errTooBig, "MaxBytes"},
		{"success: false", 200, "", `{"success":false,"status":"done","error":"no luck with ` + secret + `",` + one + `}`, nil, `success is false: "no luck with [redacted]"`},
		{"success: maybe", 200, "", `{"success":"maybe","status":"done",` + one + `}`, nil, "neither true nor false"},
		{"unknown status", 200, "", `{"status":"lost",` + one + `}`, nil, `status "lost"`},
		{"no status", 200, "", `{` + one + `}`, nil, "no status"},
		{"no records", 200, "", `{"status":"done"}`, nil, `no array of records at "data"`},
		{"no ID", 200, "", `{"status":"done","data":[{"id":1},{"name":"b"}]}`, nil, `record 1 of the page has no ID at "id": "{\"name\":\"b\"}"`},
		{"ID that is none", 200, "", `{"status":"done","data":[{"id":{}}]}`, nil, "no ID"},
		{"total that is none", 200, "", `{"status":"done","total":-1,` + one + `}`, nil, `total is "-1", no count`},
		{"next that is none", 200, "", `{"status":"done","next":[],` + one + `}`, nil, `next is "[]"`},
		{"redirect in a circle", 302, "Location: ?", "", nil, "more than 5 redirects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, 3)
			s.bend = func(w http.ResponseWriter, _ *http.Request) bool {
				if name, value, ok := strings.Cut(c.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
				return true
			}
			r := s.remote()
			r.MaxBytes = 1000
			_, err := r.Page(t.Context(), PageRequest{})
			require.ErrorContains(t, err, c.text)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			} else {
				require.NotErrorIs(t, err, ErrRefused)
			}
			assert.NotContains(t, err.Error(), secret)
			assert.NotContains(t, err.Error(), "in-the-query")
			assert.Empty(t, other.asked, "no other host is asked")
			assert.LessOrEqual(t, len(err.Error()), 600)
		})
	}
}

func TestAServiceThatAsksForTimeGetsIt(t *testing.T) {
	for _, status := range []int{429, 503} {
		s := newService(t, 3)
		s.bend = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(status)
			return len(s.asked) == 1
		}
		later := (*RetryError)(nil)
		_, err := s.remote().Page(t.Context(), PageRequest{})
		require.ErrorAs(t, err, &later)
		assert.Equal(t, 2*time.Minute, later.After)
		require.NotErrorIs(t, err, ErrRefused)
	}
}

func TestASlowServiceIsNotWaitedForForEver(t *testing.T) {
	s := newService(t, 3)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) }) // before the server closes
	s.bend = func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprint(w, `{"data":`)
		w.(http.Flusher).Flush()
		<-done
		return true
	}
	r := s.remote()
	r.Timeout = time.Millisecond
	_, err := r.Page(t.Context(), PageRequest{})
	require.ErrorIs(t, err, errSlow)
}

func TestACursorHasNoSecretAndIsOfItsServiceAlone(t *testing.T) {
	s := newService(t, 8)
	_, cursors, err := all(t.Context(), s.remote(), 2)
	require.NoError(t, err)
	base, err := s.remote().base()
	require.NoError(t, err)
	p, err := placeOf(base, cursors[2])
	require.NoError(t, err)
	assert.Equal(t, place{Next: "/crawl/7?skip=3", Same: []string{"key"}, Skip: 2}, p)

	another := s.remote()
	another.URL = s.URL + "/crawl/8"
	cut := cursors[0][1:]
	for r, c := range map[*Remote]Cursor{another: cursors[0], s.remote(): cut, {URL: s.URL}: "x"} {
		_, err := r.Page(t.Context(), PageRequest{After: c})
		assert.ErrorIs(t, err, ErrCursor)
	}
}

func TestACursorOfAServiceIsOfItsGenerationAlone(t *testing.T) {
	s := newService(t, 0)
	s.bend = func(w http.ResponseWriter, r *http.Request) bool {
		fmt.Fprintf(w, `{"status":"done","snapshot":"%d","next":"?skip=1","data":[{"id":1}]}`, len(s.asked))
		return true
	}
	r := s.remote()
	r.Fields.Generation = "snapshot"
	page, err := r.Page(t.Context(), PageRequest{})
	require.NoError(t, err)
	assert.Equal(t, "1", page.Generation)
	_, err = r.Page(t.Context(), PageRequest{After: page.Next})
	assert.ErrorIs(t, err, ErrCursor)
}

func TestAPublishedExportOfAServiceIsFoundByTheNextStart(t *testing.T) {
	s := newService(t, 8)
	path := t.TempDir() + "/pages.jsonl"
	first, err := Materialize(t.Context(), Export{From: s.remote(), To: &File{Path: path}})
	require.NoError(t, err)
	require.True(t, first.Publishable())
	require.Empty(t, first.Generation)
	again, err := Materialize(t.Context(), Export{From: s.remote(), To: &File{Path: path}})
	require.NoError(t, err)
	assert.Equal(t, first, again)
}
