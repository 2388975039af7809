package storetest

import (
	"bytes"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var sliceChecks = []Check{
	{"what was given stays the caller's: keys and values", givenStays},
	{"what was given stays the caller's: the value of a fence", givenFenceStays},
	{"nothing that was given is changed", givenIsUnchanged},
	{"what is returned belongs to the caller: pairs and points", returnedIsOwned},
	{"what is returned belongs to the caller: the value of a fence", returnedFenceIsOwned},
}

// scribble overwrites b and the space behind it.
func scribble(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = '#'
	}
}

func givenStays(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	key, value := []byte("key"), []byte("value")
	w.commit(storage.Op{Space: points, Key: key, Value: value}, storage.Op{Space: log, Key: key, Value: value})
	scribble(key)
	scribble(value)
	require.Equal(t, []string{"key=value"}, t.all(s, points))
	w.commit(put(points, "other", "1"))
	require.Equal(t, []string{"key=value", "other=1"}, t.all(s, points), "after another commit")
	require.Equal(t, []string{"key=value"}, t.all(s, log))
}

func givenFenceStays(t *trial) {
	s := t.open()
	f := t.claim(s, "p/1", "a").next()
	f.Value = []byte("header")
	require.NoError(t, s.Commit(t.ctx, f, nil))
	scribble(f.Value)
	require.Equal(t, "header", string(t.fences(s, "p/1")[0].Value))
	require.Equal(t, "header", string(t.claim(s, "p/1", "a").fence.Value))
}

// marked returns b with room behind it that must stay as it is.
func marked(b string) []byte { return append([]byte(b), "room"...)[:len(b)] }

func givenIsUnchanged(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	ops := func() []storage.Op {
		return []storage.Op{
			{Space: points, Key: marked("z"), Value: marked("1")},
			{Space: points, Key: marked("a"), Value: marked("2")},
			{Space: log, Key: marked("z"), Delete: true},
			{Space: points, Key: marked("a"), Value: marked("3")},
		}
	}
	given := ops()
	f := w.next()
	f.Value = marked("header")
	require.NoError(t, s.Commit(t.ctx, f, given))
	require.Equal(t, ops(), given, "ops, their order included")
	require.Equal(t, "headerroom", string(f.Value[:10]), "the room behind a fence's value")
	for _, op := range given {
		require.True(t, bytes.HasSuffix(op.Key[:5], []byte("room")), "the room behind a key")
		require.True(t, op.Delete || bytes.HasSuffix(op.Value[:5], []byte("room")), "the room behind a value")
	}
	keys := [][]byte{marked("z"), marked("a")}
	t.read(s, storage.ReadRequest{Space: points, Keys: keys})
	require.Equal(t, "zroom aroom", string(keys[0][:5])+" "+string(keys[1][:5]), "keys of a read")
}

func returnedIsOwned(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "a", "one"), put(points, "b", "two"), put(points, "c", "three"))
	asked := storage.ReadRequest{Space: points, Keys: [][]byte{[]byte("a"), []byte("b")}}
	ranged := storage.ReadRequest{Space: points, Limit: 3}
	r := t.read(s, ranged, asked)
	for _, slice := range [][]byte{r[0].Keys[0], r[0].Values[0], r[1].Values[0]} {
		_ = append(slice, "longer"...) // into the room behind it, where the next may lie
		scribble(slice[:len(slice):len(slice)])
	}
	require.Equal(t, "b", string(r[0].Keys[1]), "keys lie apart")
	require.Equal(t, "two", string(r[0].Values[1]), "values of a range lie apart")
	require.Equal(t, "two", string(r[1].Values[1]), "values of points lie apart")
	require.Equal(t, []string{"a=one", "b=two", "c=three"}, t.all(s, points), "the store after its answers were overwritten")
	require.Equal(t, []string{"one"}, t.get(s, points, "a"))
}

func returnedFenceIsOwned(t *trial) {
	s := t.open()
	f := t.claim(s, "p/1", "a").next()
	f.Value = []byte("header")
	require.NoError(t, s.Commit(t.ctx, f, nil))
	for range 2 {
		list := t.fences(s, "")
		require.Equal(t, "header", string(list[0].Value))
		scribble(list[0].Value)
	}
	for range 2 {
		claimed := t.claim(s, "p/1", "a").fence
		require.Equal(t, "header", string(claimed.Value))
		scribble(claimed.Value)
		held, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b", TTL: long})
		require.ErrorIs(t, err, storage.ErrHeld)
		require.Equal(t, "header", string(held.Value))
		scribble(held.Value)
	}
}
