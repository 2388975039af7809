package dir

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weircrawl/weir/storage"
)

func artifacts() *rapid.Generator[storage.Artifact] {
	return rapid.Custom(func(t *rapid.T) storage.Artifact {
		some := func(name string) []byte { return rapid.SliceOf(rapid.Byte()).Draw(t, name) }
		return storage.Artifact{
			URL: string(some("url")), Type: rapid.String().Draw(t, "type"), Truncated: rapid.String().Draw(t, "truncated"),
			Time:    time.UnixMicro(rapid.Int64().Draw(t, "time")).UTC(),
			Request: some("request"), Header: some("header"), Body: some("body"),
		}
	})
}

func TestDecodeGivesBackWhatEncodeTook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := artifacts().Draw(t, "artifact")
		e := encode(a)
		got, err := decode(e.ref(), append(e.head, e.body...))
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, a, got)
	})
}

func TestDifferentArtifactsHaveDifferentNames(t *testing.T) {
	seen := map[string]storage.Artifact{}
	rapid.Check(t, func(t *rapid.T) {
		a := artifacts().Draw(t, "artifact")
		name := encode(a).name
		if before, found := seen[name]; found && !assert.ObjectsAreEqual(before, a) {
			t.Fatalf("%+v and %+v are both %s", before, a, name)
		}
		seen[name] = a
	})
}

func TestBlocksCannotBeShiftedUnderOneName(t *testing.T) {
	names := map[string]bool{}
	for _, a := range []storage.Artifact{
		{Request: []byte("ab"), Header: []byte("cd"), Body: []byte("ef")},
		{Request: []byte("abc"), Header: []byte("d"), Body: []byte("ef")},
		{Request: []byte("ab"), Header: []byte("cde"), Body: []byte("f")},
		{Request: []byte("abcd"), Body: []byte("ef")},
		{Body: []byte("abcdef")},
	} {
		names[encode(a).name] = true
	}
	require.Len(t, names, 5)
}

// FuzzDecodeTakesOnlyWhatEncodeMakes feeds files to decode under the reference
// that they themselves claim.
func FuzzDecodeTakesOnlyWhatEncodeMakes(f *testing.F) {
	e := encode(example)
	f.Add(append(e.head, e.body...))
	f.Add(append(append(e.head, e.body...), 0))
	f.Add([]byte(first + "url: \"\"\ntype: \"\"\ntruncated: \"\"\ntime: 0\nrequest: -1\nheader: 99\nbody: 9223372036854775807\ndigest: \n\n"))
	f.Add([]byte(family + "2\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := parse(file)
		if err != nil {
			_, err := decode(e.ref(), file)
			if err == nil {
				t.Errorf("%q was taken", file)
			}
			return
		}
		e := encode(a)
		made := append(e.head, e.body...)
		_, err = decode(e.ref(), file)
		if (err == nil) != bytes.Equal(made, file) {
			t.Errorf("%q: %v, encode makes %q", file, err, made)
		}
	})
}
