package storetest

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// Spaces of the checks, one of each use.
var (
	points = storage.Space{Name: "points", Use: storage.Point}
	log    = storage.Space{Name: "log", Use: storage.Append}
	queue  = storage.Space{Name: "queue", Use: storage.Queue}
)

// long is a TTL that no check outlives.
const long = time.Hour

func put(s storage.Space, key, value string) storage.Op {
	return storage.Op{Space: s, Key: []byte(key), Value: []byte(value)}
}

func del(s storage.Space, key string) storage.Op {
	return storage.Op{Space: s, Key: []byte(key), Delete: true}
}

// A writer is the owner of one fence.
type writer struct {
	t     *trial
	store storage.Store
	fence storage.Fence // as the last Claim or Commit left it
}

// claim makes owner the holder of a fence for long.
func (t *trial) claim(s storage.Store, name, owner string) *writer {
	f, err := s.Claim(t.ctx, storage.Fence{Name: name, Owner: owner, TTL: long})
	require.NoError(t, err, "claim %s for %s", name, owner)
	return &writer{t: t, store: s, fence: f}
}

// next returns the fence that the writer's next commit must carry.
func (w *writer) next() storage.Fence {
	f := w.fence
	f.Sequence++
	f.TTL = long
	return f
}

// commit makes the writer's next commit, which must succeed.
func (w *writer) commit(ops ...storage.Op) {
	f := w.next()
	require.NoError(w.t, w.store.Commit(w.t.ctx, f, ops), "commit %s %d", f.Name, f.Sequence)
	w.fence = f
}

// get reads points of one space; it spells out what is absent.
func (t *trial) get(s storage.Store, space storage.Space, keys ...string) []string {
	r := storage.ReadRequest{Space: space, Keys: [][]byte{}}
	for _, k := range keys {
		r.Keys = append(r.Keys, []byte(k))
	}
	result := t.read(s, r)[0]
	require.Len(t, result.Values, len(keys), "values of %d points", len(keys))
	var values []string
	for _, v := range result.Values {
		values = append(values, spell(v))
	}
	return values
}

// spell tells nil from empty.
func spell(v []byte) string {
	if v == nil {
		return "(absent)"
	}
	return string(v)
}

// all reads up to 10,000 pairs of space, each as key=value.
func (t *trial) all(s storage.Store, space storage.Space) []string {
	return t.scan(s, storage.ReadRequest{Space: space, Limit: 10_000})
}

// scan reads one range, each pair as key=value.
func (t *trial) scan(s storage.Store, r storage.ReadRequest) []string {
	result := t.read(s, r)[0]
	require.Len(t, result.Values, len(result.Keys), "as many values as keys")
	pairs := []string{}
	for i, k := range result.Keys {
		pairs = append(pairs, string(k)+"="+spell(result.Values[i]))
	}
	return pairs
}

func (t *trial) read(s storage.Store, requests ...storage.ReadRequest) []storage.ReadResult {
	results, err := s.Read(t.ctx, requests...)
	require.NoError(t, err, "read")
	require.Len(t, results, len(requests), "a result for each request")
	return results
}

// fences returns the fences below prefix with their TTLs checked to lie between
// zero and long, and then dropped, so that they compare.
func (t *trial) fences(s storage.Store, prefix string) []storage.Fence {
	list, err := s.Fences(t.ctx, prefix)
	require.NoError(t, err, "fences %q", prefix)
	for i := range list {
		t.remains(list[i], long)
		list[i].TTL = 0
		if len(list[i].Value) == 0 {
			list[i].Value = nil
		}
	}
	return list
}

func (t *trial) remains(f storage.Fence, most time.Duration) {
	if !assert.GreaterOrEqual(t, f.TTL, time.Duration(0), "what remains of %s", f.Name) ||
		!assert.LessOrEqual(t, f.TTL, most, "what remains of %s", f.Name) {
		t.FailNow()
	}
}

// numbered returns a key that sorts by n.
func numbered(n int) string { return fmt.Sprintf("%08d", n) }
