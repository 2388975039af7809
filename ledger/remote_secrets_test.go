package ledger

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever a service says, and however short a value is, none stands in an error.
func TestNoErrorHasAValueOfTheRequest(t *testing.T) {
	for _, c := range []struct{ key, header, said, want string }{
		{"SECRET", "x", "bad key SECRET", "bad key [redacted]"},
		{"SECRET", "x", "bad keySECRETs", "bad key[redacted]s"},
		{"k", "shorty", "no shorty, no k", "no [redacted], no [redacted]"},
		{"ab", "x", "about ab, AB and a.b", "about [redacted], AB and a.b"},
		{"é", "x", "é is not école", "[redacted] is not école"},
		{"7", "x", "77 of 7", "77 of [redacted]"},
		{"a b&c", "x", `a b&c is a+b%26c or a%20b&c`, "[redacted] is [redacted] or [redacted]"},
		{"redacted", "acted", "redacted acted", "[redacted] [redacted]"},
		{"abcdefgh", "abcd", "abcdefgh", "[redacted]"},
	} {
		said, err := json.Marshal(c.said)
		require.NoError(t, err)
		for name, body := range map[string]string{
			"error":  `{"success":false,"error":` + string(said) + `}`,
			"status": `{"status":` + string(said) + `,"data":[]}`,
			"ended":  `{"status":"done","at":` + string(said) + `,"data":[]}`,
			"total":  `{"status":"done","total":` + string(said) + `,"data":[]}`,
			"no ID":  `{"status":"done","data":[` + string(said) + `]}`,
			"next":   `{"status":"done","data":[],"next":[` + string(said) + `]}`,
			"whole":  c.said,
		} {
			s := newService(t, 3)
			s.bend = func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, body); return true }
			r := &Remote{URL: s.URL + "/?key=" + url.QueryEscape(c.key), Header: http.Header{"X-Key": {c.header}}, Fields: Fields{Ended: "at"}}
			_, err := r.Page(t.Context(), PageRequest{})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want, "%s: %q", name, c.said)
		}
	}
}

func TestAnOwnTextIsNotMangledByAShortValue(t *testing.T) {
	s := newService(t, 3)
	s.bend = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "?", http.StatusFound)
		return true
	}
	_, err := (&Remote{URL: s.URL + "/?a=more&b=than&c=5&d=redirects"}).Page(t.Context(), PageRequest{})
	assert.ErrorContains(t, err, "more than 5 redirects")
}

func TestACursorNeverShowsAKey(t *testing.T) {
	for _, c := range []struct {
		next, snapshot string
		refused        bool
	}{
		{"?key=in-the-query&skip=3", "a", false},
		{"?token=in-the-query", "a", true},
		{"?k=" + secret, "a", true},
		{"/" + secret + "/2", "a", true},
		{"?k=seven77", "a", true},
		{"?k=seven777", "a", false},
		{"?limit=v2&skip=100", "a", false},
		{"?skip=3", "of-" + secret, true},
		{"?skip=3", "in-the-query", true},
	} {
		s := newService(t, 3)
		s.bend = func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprintf(w, `{"status":"done","data":[{"id":1}],"next":%q,"snapshot":%q}`, c.next, c.snapshot)
			return true
		}
		r := s.remote()
		r.URL += "&limit=100"
		r.Header.Set("X-Version", "v2")
		r.Header.Set("X-Other", "seven77")
		r.Fields.Generation = "snapshot"
		page, err := r.Page(t.Context(), PageRequest{})
		if c.refused {
			assert.ErrorIs(t, err, ErrRefused, c.next)
			assert.NotContains(t, fmt.Sprint(err), secret)
			continue
		}
		require.NoError(t, err, c.next)
		place, _, _ := strings.Cut(string(page.Next), ".")
		text, err := base64.RawURLEncoding.DecodeString(place)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "in-the-query")
	}
}

// No byte of a service can move a terminal's cursor or begin another line.
func TestATextOfAServiceIsQuotedInErrors(t *testing.T) {
	evil := "\x1b[2J\u202e\u009b\nfine: all is well"
	said, err := json.Marshal(evil)
	require.NoError(t, err)
	text := string(said)
	for name, body := range map[string]string{
		"error": `{"success":false,"error":` + text + `}`, "success": `{"success":` + text + `}`,
		"status": `{"status":` + text + `}`, "ended": `{"status":"done","at":` + text + `}`,
		"total": `{"status":"done","total":` + text + `}`, "next": `{"status":"done","next":[` + text + `]}`,
		"snapshot": `{"status":"done","snapshot":[` + text + `]}`, "no ID": `{"status":"done","data":[` + text + `]}`,
		"host": `{"status":"done","data":[],"next":"http://` + "\u202e" + `.test/"}`, "whole": evil,
	} {
		s := newService(t, 3)
		s.bend = func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, body); return true }
		r := s.remote()
		r.Fields = Fields{Ended: "at", Generation: "snapshot"}
		_, err := r.Page(t.Context(), PageRequest{})
		require.Error(t, err, name)
		for _, c := range err.Error() {
			assert.True(t, unicode.IsPrint(c), "%s: %q", name, err)
		}
	}
}
