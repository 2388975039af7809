package sinktest

import (
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var contentChecks = []Check{
	{"what was appended is what Open returns", opensWhatWasAppended},
	{"an artifact can be opened before it is synced", opensBeforeSync},
	{"a reference fits its bounds and carries the payload's digest", refsAreBounded},
	{"exchanges with one payload keep their own headers", onePayload},
	{"appending the same artifact again is no error", appendedTwice},
	{"a slice that was given is not kept", givenIsNotKept},
	{"a slice that was given is not changed", givenIsNotChanged},
	{"a slice that was returned is the caller's", returnedIsGivenAway},
	{"a reference to nothing is ErrCorrupt", nothingIsCorrupt},
}

func opensWhatWasAppended(t *trial) {
	s := t.open()
	var refs []storage.Ref
	for _, a := range oddities() {
		refs = append(refs, t.append(s, a))
	}
	t.sync(s)
	for i, a := range oddities() {
		t.holds(s, refs[i], a, "after Sync")
	}
}

func opensBeforeSync(t *trial) {
	s := t.open()
	for n := range 3 {
		t.holds(s, t.append(s, exchange(n)), exchange(n), "before Sync")
	}
}

func refsAreBounded(t *trial) {
	s := t.open()
	seen := map[storage.Ref]string{}
	for _, a := range oddities() {
		r := t.append(s, a)
		require.NotZero(t, r, "reference to %s", a.URL)
		require.LessOrEqual(t, len(r.Segment), 128, "bytes of segment %q", r.Segment)
		require.Equal(t, storage.Sum(a.Body), r.Digest, "digest of %s", a.URL)
		require.NotContains(t, seen, r, "reference to %s", a.URL)
		seen[r] = a.URL
	}
}

func onePayload(t *trial) {
	s := t.open()
	a, b := exchange(1), exchange(1)
	b.Header, b.Truncated = []byte("HTTP/1.1 404 Not Found\r\n\r\n"), "length"
	c := exchange(1)
	c.URL, c.Time = exchange(2).URL, exchange(2).Time
	all := []storage.Artifact{a, b, c}
	var refs []storage.Ref
	for _, a := range all {
		refs = append(refs, t.append(s, a))
	}
	t.sync(s)
	for i, a := range all {
		t.holds(s, refs[i], a, "beside others with its payload")
	}
}

func appendedTwice(t *trial) {
	s := t.open()
	first, second := t.append(s, exchange(1)), t.append(s, exchange(1))
	t.sync(s)
	third := t.append(s, exchange(1))
	for _, r := range []storage.Ref{first, second, third} {
		t.holds(s, r, exchange(1), "appended three times")
	}
	t.sync(s)
	s = t.reopen(s)
	fourth := t.append(s, exchange(1))
	t.sync(s)
	for _, r := range []storage.Ref{first, second, third, fourth} {
		t.holds(s, r, exchange(1), "appended four times")
	}
}

func givenIsNotKept(t *trial) {
	s := t.open()
	given := clone(exchange(1))
	r := t.append(s, given)
	scribble(given)
	t.sync(s)
	t.holds(s, r, exchange(1), "after its slices were overwritten")
}

func givenIsNotChanged(t *trial) {
	s := t.open()
	given := clone(exchange(1))
	r := t.append(s, given)
	t.sync(s)
	_, err := s.Open(t.ctx, r)
	require.NoError(t, err, "open")
	require.Empty(t, difference(exchange(1), given), "what was given to Append")
}

func returnedIsGivenAway(t *trial) {
	s := t.open()
	r := t.append(s, exchange(1))
	for _, when := range []string{"before Sync", "after Sync"} {
		got, err := s.Open(t.ctx, r)
		require.NoError(t, err, "open %s", when)
		scribble(got)
		t.holds(s, r, exchange(1), "after a returned one was overwritten "+when)
		t.sync(s)
	}
}

func nothingIsCorrupt(t *trial) {
	s := t.open()
	good := t.append(s, exchange(1))
	t.sync(s)
	for what, change := range map[string]func(*storage.Ref){
		"no segment":      func(r *storage.Ref) { r.Segment = "" },
		"another segment": func(r *storage.Ref) { r.Segment += "0" },
		"a path":          func(r *storage.Ref) { r.Segment = "../" + r.Segment },
		"another offset":  func(r *storage.Ref) { r.Offset++ },
		"below zero":      func(r *storage.Ref) { r.Offset, r.Length = -1, -1 },
		"a longer one":    func(r *storage.Ref) { r.Length++ },
		"a shorter one":   func(r *storage.Ref) { r.Length-- },
		"another digest":  func(r *storage.Ref) { r.Digest = storage.Sum([]byte("another")) },
		"no digest":       func(r *storage.Ref) { r.Digest = "" },
		"the zero value":  func(r *storage.Ref) { *r = storage.Ref{} },
	} {
		r := good
		change(&r)
		_, err := s.Open(t.ctx, r)
		require.ErrorIs(t, err, storage.ErrCorrupt, "%s: %+v", what, r)
	}
	t.holds(s, good, exchange(1), "beside wrong references")
}
