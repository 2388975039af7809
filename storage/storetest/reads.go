package storetest

import (
	"fmt"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var readChecks = []Check{
	{"a space that was never written is empty", neverWritten},
	{"points come as they were asked for", pointsAsAsked},
	{"a range is ascending, from From, below To, at most Limit", rangesAreBounded},
	{"keys are ordered by their bytes", keysByBytes},
	{"a request without a limit or a valid space is refused", badRequests},
	{"requests are answered in order", requestsInOrder},
	{"one read sees one snapshot, and of a commit all or nothing", oneSnapshot},
}

func neverWritten(t *trial) {
	s := t.open()
	require.Empty(t, t.all(s, points))
	require.Equal(t, []string{"(absent)"}, t.get(s, points, "k"))
	require.Empty(t, t.fences(s, ""))
	require.Empty(t, t.read(s))
	t.claim(s, "p/1", "a")
	require.Empty(t, t.all(s, points), "a claim writes no space")
}

func pointsAsAsked(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "a", "1"), put(points, "b", "2"), put(points, "c", "3"))
	asked := [][]byte{[]byte("c"), []byte("x"), []byte("a"), []byte("c"), []byte(""), []byte("bb"), []byte("b")}
	r := t.read(s, storage.ReadRequest{Space: points, Keys: asked, From: []byte("b"), Limit: 1})[0]
	require.Equal(t, asked, r.Keys, "the keys as they were asked for")
	require.Equal(t, []string{"3", "(absent)", "1", "3", "(absent)", "(absent)", "2"},
		t.get(s, points, "c", "x", "a", "c", "", "bb", "b"))
	none := t.read(s, storage.ReadRequest{Space: points, Keys: [][]byte{}, Limit: 10})[0]
	require.Empty(t, none.Keys, "no keys are not a range")
}

func rangesAreBounded(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(log, "a", ""), put(log, "b", ""), put(log, "bb", ""), put(log, "c", ""), put(log, "d", ""))
	for _, c := range []struct {
		from, to []byte
		limit    int
		want     []string
	}{
		{nil, nil, 9, []string{"a=", "b=", "bb=", "c=", "d="}},
		{nil, nil, 5, []string{"a=", "b=", "bb=", "c=", "d="}},
		{nil, nil, 2, []string{"a=", "b="}},
		{nil, nil, 1, []string{"a="}},
		{[]byte("b"), nil, 9, []string{"b=", "bb=", "c=", "d="}},
		{[]byte("b\x00"), nil, 1, []string{"bb="}},
		{[]byte("b"), []byte("c"), 9, []string{"b=", "bb="}},
		{[]byte("b"), []byte("c\x00"), 9, []string{"b=", "bb=", "c="}},
		{nil, []byte("b"), 9, []string{"a="}},
		{[]byte(""), []byte("b"), 9, []string{"a="}},
		{[]byte("b"), []byte("b"), 9, []string{}},
		{[]byte("c"), []byte("b"), 9, []string{}},
		{[]byte("e"), nil, 9, []string{}},
		{nil, []byte(""), 9, []string{}},
		{nil, []byte("a"), 9, []string{}},
	} {
		got := t.scan(s, storage.ReadRequest{Space: log, From: c.from, To: c.to, Limit: c.limit})
		require.Equal(t, c.want, got, "from %q to %q limit %d", c.from, c.to, c.limit)
	}
}

func keysByBytes(t *trial) {
	s := t.open()
	ordered := []string{"\x00", "\x00\x00", "\x00\xff", "\x01", "A", "Z", "a", "a\x00", "a\x00b", "aa", "b", "\x7f", "\x80", "\xc3\xa9", "\xff", "\xff\x00", "\xff\xff"}
	var ops []storage.Op
	for i := range ordered { // written in another order
		ops = append(ops, put(queue, ordered[(i*5)%len(ordered)], "v"))
	}
	t.claim(s, "p/1", "a").commit(ops...)
	var want []string
	for _, k := range ordered {
		want = append(want, k+"=v")
	}
	require.Equal(t, want, t.all(s, queue))
}

func badRequests(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "k", "v"))
	for _, r := range []storage.ReadRequest{
		{Space: points}, {Space: points, Limit: -1},
		{Space: storage.Space{Name: "_"}, Limit: 1}, {Space: storage.Space{}, Keys: [][]byte{[]byte("k")}},
	} {
		results, err := s.Read(t.ctx, storage.ReadRequest{Space: points, Limit: 1}, r)
		require.ErrorIs(t, err, storage.ErrTooLarge, "space %q limit %d", r.Space.Name, r.Limit)
		require.Empty(t, results)
	}
}

func requestsInOrder(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "a", "1"), put(points, "b", "2"), put(log, "a", "3"))
	r := t.read(s,
		storage.ReadRequest{Space: log, Keys: [][]byte{[]byte("a")}},
		storage.ReadRequest{Space: points, Limit: 1},
		storage.ReadRequest{Space: points, From: []byte("b"), Limit: 1},
		storage.ReadRequest{Space: queue, Limit: 1},
		storage.ReadRequest{Space: points, Keys: [][]byte{[]byte("b"), []byte("a")}},
	)
	var got []string
	for _, result := range r {
		for i, k := range result.Keys {
			got = append(got, string(k)+"="+spell(result.Values[i]))
		}
		got = append(got, ";")
	}
	require.Equal(t, []string{"a=3", ";", "a=1", ";", "b=2", ";", ";", "b=2", "a=1", ";"}, got)
}

// oneSnapshot reads two spaces, each by a point and a range, while commits write
// the same number everywhere.
func oneSnapshot(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	spread := func(n int) []storage.Op {
		v := fmt.Sprint(n)
		return []storage.Op{put(points, "a", v), put(log, "m", v), put(points, "m", v), put(queue, "z", v)}
	}
	w.commit(spread(0)...)
	var (
		readers sync.WaitGroup
		stop    = make(chan struct{})
		faults  = make(chan string, 2)
	)
	for range cap(faults) {
		readers.Go(func() {
			for fault := ""; fault == ""; {
				select {
				case <-stop:
					return
				default:
				}
				if fault = t.torn(s); fault != "" {
					faults <- fault
				}
			}
		})
	}
	for n := range 100 {
		w.commit(spread(n + 1)...)
		require.Equal(t, []string{fmt.Sprint(n + 1)}, t.get(s, log, "m"), "a commit that has returned is seen")
	}
	close(stop)
	readers.Wait()
	close(faults)
	for fault := range faults {
		require.Empty(t, fault)
	}
}

// torn tells how one read differs within itself.
func (t *trial) torn(s storage.Store) string {
	r, err := s.Read(t.ctx,
		storage.ReadRequest{Space: points, Limit: 9},
		storage.ReadRequest{Space: log, Keys: [][]byte{[]byte("m")}},
		storage.ReadRequest{Space: queue, Limit: 1},
		storage.ReadRequest{Space: points, Keys: [][]byte{[]byte("a")}},
	)
	if err != nil {
		return err.Error()
	}
	seen := map[string]bool{}
	var got []string
	for _, result := range r {
		for _, v := range result.Values {
			seen[string(v)] = true
			got = append(got, string(v))
		}
	}
	if len(seen) != 1 || len(got) != 5 {
		return fmt.Sprintf("one read saw %q", got)
	}
	return ""
}
