package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/weircrawl/weir/storage"
)

var spaces = []storage.Space{{Name: "points"}, {Name: "log", Use: storage.Append}, {Name: "queue", Use: storage.Queue}}

// An image is the file of a store with every kind of page: full and half full
// leaves, branches, values over many pages, free pages, fences.
type image struct {
	path   string
	bytes  []byte
	points [][]byte // keys that are there, and as many that are not
	want   []storage.ReadResult
}

func newImage(t testing.TB) image {
	t.Helper()
	m := image{path: filepath.Join(t.TempDir(), "frontier.db")}
	s, err := Open(Config{Path: m.path})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	f := claim(t, s, "a")
	for round := range 6 {
		var ops []storage.Op
		for n := range 250 {
			key := make([]byte, 16)
			for i := range key {
				key[i] = byte(r.Uint32())
			}
			m.points = append(m.points, key)
			ops = append(ops,
				storage.Op{Space: spaces[0], Key: key, Value: key[:8]},
				storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "%08d", round*250+n), Value: bytes.Repeat(key, 5)},
				storage.Op{Space: spaces[2], Key: fmt.Appendf(nil, "%08d", round*250+n), Value: key},
				storage.Op{Space: spaces[2], Key: fmt.Appendf(nil, "%08d", round*250+n-300), Delete: true},
			)
		}
		ops = append(ops, storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "large %d", round), Value: bytes.Repeat([]byte("0123456789abcde\n"), 1500)})
		f = commit(t, s, f, ops...)
	}
	for range m.points {
		m.points = append(m.points, []byte(fmt.Sprint(r.Uint64())))
	}
	m.want, err = s.Read(context.Background(), m.requests()...)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	m.bytes, err = os.ReadFile(m.path)
	require.NoError(t, err)
	m.bytes = m.bytes[:m.used(t)] // without the room at the end
	require.NoError(t, os.Truncate(m.path, int64(len(m.bytes))))
	return m
}

// requests ask for everything that the store holds, as points and in ranges.
func (m image) requests() []storage.ReadRequest {
	var requests []storage.ReadRequest
	for keys := m.points; len(keys) > 0; keys = keys[100:] {
		requests = append(requests, storage.ReadRequest{Space: spaces[0], Keys: keys[:100]})
	}
	for _, space := range spaces {
		requests = append(requests, storage.ReadRequest{Space: space, Limit: 1 << 20})
		for b := range 16 {
			requests = append(requests, storage.ReadRequest{Space: space, From: []byte{byte(b * 16), 1}, To: []byte{byte(b*16 + 16)}, Limit: 1 << 20})
		}
	}
	return requests
}

// patch writes data into the file of the image, and restores it afterwards.
func (m image) patch(t testing.TB, offset int, data []byte, try func()) {
	t.Helper()
	f, err := os.OpenFile(m.path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(data, int64(offset))
	require.NoError(t, err)
	defer func() {
		_, err := f.WriteAt(m.bytes, 0)
		require.NoError(t, errors.Join(err, f.Truncate(int64(len(m.bytes))), f.Close()))
	}()
	try()
}

// used returns how many bytes of the image belong to its state.
func (m image) used(t testing.TB) int {
	newest, err := inspect(bytes.NewReader(m.bytes), int64(len(m.bytes)))
	require.NoError(t, err)
	return int(newest.pages) * int(newest.pageSize)
}

func claim(t testing.TB, s storage.Store, owner string) storage.Fence {
	t.Helper()
	f, err := s.Claim(context.Background(), storage.Fence{Name: "p/0", Owner: owner, TTL: time.Hour})
	require.NoError(t, err)
	return f
}

// commit makes the next commit after f, which must succeed.
func commit(t testing.TB, s storage.Store, f storage.Fence, ops ...storage.Op) storage.Fence {
	t.Helper()
	f.Sequence++
	require.NoError(t, s.Commit(context.Background(), f, ops))
	return f
}

// typed tells whether a caller can tell what is wrong.
func typed(err error) bool {
	return errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrVersion)
}

// S-O1: overwrite 4 KiB at sectors all over the file (at every one in a soak), with
// zeros, with ones and with noise.
func TestSO1DamageIsAnErrorAndIsLeftAlone(t *testing.T) {
	m := newImage(t)
	r := rand.New(rand.NewPCG(2, 2))
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	found, step := 0, 512*9 // of each nine sectors one, at all places of a page in turn
	if os.Getenv("WEIR_SOAK") != "" {
		step = 512
	}
	patterns := [][]byte{make([]byte, 4096), bytes.Repeat([]byte{0xff}, 4096), noise}
	tries := 0
	for offset := 0; offset < len(m.bytes)-4096; offset += step {
		data := patterns[tries%len(patterns)]
		tries++
		m.patch(t, offset, data, func() {
			if m.damaged(t, offset, data[0]) {
				found++
				after, err := os.ReadFile(m.path)
				require.NoError(t, err)
				copy(after[offset:], m.bytes[offset:offset+len(data)])
				require.True(t, bytes.Equal(m.bytes, after), "the file was changed (offset %d, %#x)", offset, data[0])
			}
		})
	}
	require.Greater(t, found, tries/2, "most pages are in use")
}

// damaged opens the store and reads all of it. Each request answers a typed error
// or what it answered before; after an error the store is not written any more.
func (m image) damaged(t *testing.T, offset int, pattern byte) bool {
	s, err := Open(Config{Path: m.path, Wait: -1})
	if err != nil {
		require.True(t, typed(err), "open, offset %d, %#x: %v", offset, pattern, err)
		return true
	}
	defer func() { require.NoError(t, s.Close()) }()
	found := false
	for i, r := range m.requests() {
		got, err := s.Read(t.Context(), r)
		if err != nil {
			require.ErrorIs(t, err, storage.ErrCorrupt, "offset %d, %#x, request %d", offset, pattern, i)
			found = true
			continue
		}
		require.True(t, slices.EqualFunc(m.want[i].Values, got[0].Values, bytes.Equal), "offset %d, %#x, request %d of %q from %q", offset, pattern, i, r.Space.Name, r.From)
	}
	if found {
		_, err = s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "b", TTL: time.Hour})
		require.ErrorIs(t, err, storage.ErrCorrupt, "a store that is damaged is not written")
	}
	return found
}

// A commit may be what touches the damage first.
func TestSO1CommitIntoDamageIsAnError(t *testing.T) {
	m := newImage(t)
	var ops []storage.Op
	for _, key := range m.points {
		ops = append(ops, storage.Op{Space: spaces[0], Key: key, Value: []byte("new")})
	}
	for n := range 1500 {
		ops = append(ops,
			storage.Op{Space: spaces[1], Key: fmt.Appendf(nil, "%08d", n), Delete: true},
			storage.Op{Space: spaces[2], Key: fmt.Appendf(nil, "%08d", n), Value: make([]byte, 100)})
	}
	found := 0
	for offset := 0; offset < len(m.bytes); offset += 3 * 4096 {
		m.patch(t, offset, make([]byte, 4096), func() {
			s, err := Open(Config{Path: m.path, Wait: -1})
			if err != nil {
				require.True(t, typed(err), "%v", err)
				return
			}
			f, err := s.Claim(t.Context(), storage.Fence{Name: "p/0", Owner: "b", TTL: time.Hour})
			if err == nil {
				f.Sequence++
				err = s.Commit(t.Context(), f, ops)
			}
			if err != nil {
				require.ErrorIs(t, err, storage.ErrCorrupt)
				found++
			}
			require.NoError(t, s.Close())
		})
	}
	require.Greater(t, found, 20, "commits that met damage")
}

// Both metas must be sound: the older one names a state without the last commit.
func TestSO1DamagedMetaIsNotTheStateBefore(t *testing.T) {
	m := newImage(t)
	for page := range 2 {
		m.patch(t, page*os.Getpagesize(), make([]byte, 80), func() {
			_, err := Open(Config{Path: m.path})
			require.ErrorIs(t, err, storage.ErrCorrupt)
		})
	}
}

// The file of an open store is mapped: what happens to it happens to the store.
func TestSO1DamageUnderAnOpenStoreIsAnError(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"both meta pages are overwritten": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			_, werr := f.WriteAt(make([]byte, 2*os.Getpagesize()), 0)
			return errors.Join(err, werr, f.Close())
		},
		"the file is cut short":   func(path string) error { return os.Truncate(path, int64(3*os.Getpagesize())) },
		"the file is cut to zero": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newImage(t)
			s, err := Open(Config{Path: m.path})
			require.NoError(t, err)
			f := claim(t, s, "a")
			require.NoError(t, damage(m.path))
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range 2 {
					_, err := s.Read(t.Context(), m.requests()...)
					assert.ErrorIs(t, err, storage.ErrCorrupt)
				}
				f.Sequence++
				assert.ErrorIs(t, s.Commit(t.Context(), f, []storage.Op{put("k", "v")}), storage.ErrCorrupt)
				assert.NoError(t, s.Close())
			}()
			select {
			case <-done:
			case <-time.After(30 * time.Second):
				t.Fatal("a call never returned")
			}
		})
	}
}

func TestSA4EmptyOrShortFileIsNeverNew(t *testing.T) {
	m := newImage(t)
	for _, size := range []int{0, 1, 16, 80, 4095, 4096, 8192, len(m.bytes) / 2, len(m.bytes) - 1} {
		require.NoError(t, os.WriteFile(m.path, m.bytes[:size], 0o600))
		_, err := Open(Config{Path: m.path})
		require.ErrorIs(t, err, storage.ErrCorrupt, "%d bytes", size)
		after, err := os.ReadFile(m.path)
		require.NoError(t, err)
		require.Equal(t, m.bytes[:size], after, "%d bytes", size)
	}
}

func TestStoreOfAnotherVersionIsLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(tx *bbolt.Tx) error
		want  error
	}{
		{"a later version", func(tx *bbolt.Tx) error {
			meta, err := tx.CreateBucket(metaBucket)
			return errors.Join(err, meta.Put(versionKey, seal(nil, versionKey, []byte("weir 2"))))
		}, storage.ErrVersion},
		{"a database of another program", func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("members"))
			return err
		}, storage.ErrVersion},
		{"a version that cannot be read", func(tx *bbolt.Tx) error {
			meta, err := tx.CreateBucket(metaBucket)
			return errors.Join(err, meta.Put(versionKey, []byte("weir 1")))
		}, storage.ErrCorrupt},
		{"a bucket that is no space", func(tx *bbolt.Tx) error {
			meta, err := tx.CreateBucket(metaBucket)
			_, other := tx.CreateBucket([]byte("points\x00"))
			return errors.Join(err, other, meta.Put(versionKey, seal(nil, versionKey, []byte(version))))
		}, storage.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "frontier.db")
			db, err := bbolt.Open(path, 0o600, nil)
			require.NoError(t, err)
			require.NoError(t, errors.Join(db.Update(c.write), db.Close()))
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = Open(Config{Path: path})
			require.ErrorIs(t, err, c.want)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(before, after))
		})
	}
}

// FuzzDamageNeverPanics changes a few bytes anywhere. Fewer bytes than a sector can
// hide from every check (the number of pairs on a page has no checksum), so the
// law is smaller than TestSO1's: no panic, no hang, only typed errors, and no value
// that was not put there.
func FuzzDamageNeverPanics(f *testing.F) {
	m := newImage(f)
	known := map[string]bool{"": true}
	for _, r := range m.want {
		for _, v := range r.Values {
			known[string(v)] = true
		}
	}
	for page := 0; page < len(m.bytes)/4096; page += 9 {
		f.Add(uint32(page*4096+8), []byte{0x10})             // another kind of page
		f.Add(uint32(page*4096+10), []byte{0xff, 0xff})      // many pairs
		f.Add(uint32(page*4096+12), []byte{0xff, 0xff, 0x7}) // a page of gigabytes
		f.Add(uint32(page*4096+16), bytes.Repeat([]byte{0xee}, 24))
	}
	f.Fuzz(func(t *testing.T, offset uint32, data []byte) {
		at := int(offset) % len(m.bytes)
		m.patch(t, at, data[:min(len(data), 512)], func() {
			s, err := Open(Config{Path: m.path, Wait: -1})
			if err != nil {
				require.True(t, typed(err), "%v", err)
				return
			}
			got, err := s.Read(t.Context(), m.requests()...)
			require.True(t, err == nil || typed(err), "%v", err)
			for _, r := range got {
				for _, v := range r.Values {
					require.True(t, known[string(v)], "value %x", v)
				}
			}
			require.NoError(t, s.Close())
		})
	})
}
