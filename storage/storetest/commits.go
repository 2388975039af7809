package storetest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var commitChecks = []Check{
	{"limits are at least the contract's, and constant", limitsHold},
	{"only the next sequence of the current generation commits", onlyNextCommits},
	{"a fence that nobody claimed does not commit", unclaimedFence},
	{"a refused commit applies nothing", refusedAppliesNothing},
	{"ops are applied in order", opsInOrder},
	{"an op touches its own space alone", spacesAreApart},
	{"the use of a space changes no result", useChangesNothing},
	{"an empty value is a value, and removing what is absent is no error", emptyValue},
	{"keys of 1 to 256 bytes and names of a-z are taken, no others", keysAreBounded},
	{"the largest value and the largest batch are taken, no larger", sizesAreBounded},
}

func limitsHold(t *trial) {
	s := t.open()
	l := s.Limits()
	require.GreaterOrEqual(t, l.Value, 64<<10, "bytes of a value")
	require.GreaterOrEqual(t, l.Batch, 1<<20, "bytes of a batch")
	require.GreaterOrEqual(t, l.Partitions, 1, "partitions")
	t.claim(s, "p/1", "a").commit(put(points, "k", "v"))
	require.Equal(t, l, s.Limits(), "limits after a commit")
}

func onlyNextCommits(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a")
	w := t.claim(s, "p/1", "a")
	for n := range 3 {
		now := w.fence
		for _, wrong := range []storage.Fence{
			{Generation: now.Generation, Sequence: now.Sequence},
			{Generation: now.Generation, Sequence: now.Sequence + 2},
			{Generation: now.Generation - 1, Sequence: now.Sequence + 1},
			{Generation: now.Generation + 1, Sequence: now.Sequence + 1},
			{Generation: 0, Sequence: now.Sequence + 1},
			{Generation: now.Generation, Sequence: 0},
		} {
			wrong.Name, wrong.Owner, wrong.TTL, wrong.Value = now.Name, now.Owner, long, []byte("wrong")
			err := s.Commit(t.ctx, wrong, []storage.Op{put(points, "k", "wrong"), put(log, "wrong", "")})
			require.ErrorIs(t, err, storage.ErrFenced, "generation %d sequence %d after generation %d sequence %d",
				wrong.Generation, wrong.Sequence, now.Generation, now.Sequence)
		}
		w.commit(put(points, "k", fmt.Sprint(n)))
		require.Equal(t, []string{fmt.Sprint(n)}, t.get(s, points, "k"))
	}
	require.Empty(t, t.all(s, log), "a fenced commit applied something")
	require.Equal(t, []storage.Fence{{Name: "p/1", Owner: "a", Generation: 2, Sequence: 3}}, t.fences(s, ""))
}

func unclaimedFence(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a")
	for _, f := range []storage.Fence{{Sequence: 1}, {Generation: 1, Sequence: 1}} {
		f.Name, f.Owner, f.TTL = "p/2", "a", long
		require.ErrorIs(t, s.Commit(t.ctx, f, []storage.Op{put(points, "k", "v")}), storage.ErrFenced)
	}
	require.Empty(t, t.all(s, points))
	require.Len(t, t.fences(s, ""), 1, "a fenced commit makes no fence")
}

func refusedAppliesNothing(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	w.commit(put(points, "old", "1"), put(log, "old", "1"))
	big := bytes.Repeat([]byte("x"), s.Limits().Value+1)
	f := w.next()
	f.Value = []byte("refused")
	err := s.Commit(t.ctx, f, []storage.Op{
		put(points, "new", "2"), del(points, "old"), put(log, "old", "2"),
		{Space: log, Key: []byte("big"), Value: big},
	})
	require.ErrorIs(t, err, storage.ErrTooLarge)
	require.Equal(t, []string{"old=1"}, t.all(s, points))
	require.Equal(t, []string{"old=1"}, t.all(s, log))
	require.Equal(t, []storage.Fence{{Name: "p/1", Owner: "a", Generation: 1, Sequence: 1}}, t.fences(s, ""))
	w.commit(put(points, "new", "3")) // the sequence was not spent
}

func opsInOrder(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	w.commit(
		put(points, "z", "1"), put(points, "b", "1"), put(points, "z", "2"), del(points, "b"),
		put(points, "a", "1"), del(points, "a"), put(points, "a", "2"),
		del(points, "c"), put(points, "c", "1"), put(points, "z", "3"),
	)
	require.Equal(t, []string{"a=2", "c=1", "z=3"}, t.all(s, points))
	ops := []storage.Op{}
	for n := range 200 { // the last of many writes of each key wins
		ops = append(ops, put(points, numbered(n%7), fmt.Sprint(n)))
	}
	w.commit(ops...)
	require.Equal(t, []string{"196", "197", "198", "199", "193", "194", "195"}, t.get(s, points,
		numbered(0), numbered(1), numbered(2), numbered(3), numbered(4), numbered(5), numbered(6)))
}

func spacesAreApart(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	other := storage.Space{Name: "pointsz"}
	w.commit(put(points, "k", "1"), put(log, "k", "2"), put(other, "k", "3"), put(queue, "k", "4"))
	w.commit(del(log, "k"), put(queue, "k", "5"))
	require.Equal(t, []string{"k=1"}, t.all(s, points))
	require.Empty(t, t.all(s, log))
	require.Equal(t, []string{"k=3"}, t.all(s, other))
	require.Equal(t, []string{"k=5"}, t.all(s, queue))
}

func useChangesNothing(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	spaces := []storage.Space{points, log, queue}
	for round := range 5 {
		var ops []storage.Op
		for _, sp := range spaces {
			for n := range 300 { // in no order, rewritten and removed: what no use expects
				k := (n*7919 + round*31) % 1000
				ops = append(ops, put(sp, numbered(k), fmt.Sprint(round)), del(sp, numbered(k/2)))
			}
		}
		w.commit(ops...)
	}
	want := t.all(s, points)
	require.NotEmpty(t, want)
	require.Equal(t, want, t.all(s, log))
	require.Equal(t, want, t.all(s, queue))
}

func emptyValue(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	w.commit(
		storage.Op{Space: points, Key: []byte("nil")},
		storage.Op{Space: points, Key: []byte("empty"), Value: []byte{}},
		del(points, "absent"), del(queue, "never written"),
	)
	require.Equal(t, []string{"", "", "(absent)"}, t.get(s, points, "nil", "empty", "absent"))
	require.Equal(t, []string{"empty=", "nil="}, t.all(s, points))
	s = t.reopen(s)
	require.Equal(t, []string{"", "", "(absent)"}, t.get(s, points, "nil", "empty", "absent"), "after opening again")
}

func keysAreBounded(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	longest := bytes.Repeat([]byte{0xff}, 256)
	widest := storage.Space{Name: "abcdefghijklmnopqrstuvwxyzabcdef"}
	w.commit(
		storage.Op{Space: points, Key: longest, Value: []byte("longest")},
		storage.Op{Space: points, Key: []byte{0}, Value: []byte("least")},
		put(widest, "k", "v"), put(storage.Space{Name: "a"}, "k", "v"),
	)
	require.Equal(t, []string{"least", "longest"}, t.get(s, points, "\x00", string(longest)))
	require.Equal(t, []string{"k=v"}, t.all(s, widest))
	require.Equal(t, []string{"(absent)"}, t.get(s, points, string(longest)+"x"), "a longer key is absent")
	for _, op := range []storage.Op{
		{Space: points, Key: nil}, {Space: points, Key: append(longest, 0)}, {Space: points, Delete: true},
		put(storage.Space{Name: ""}, "k", "v"), put(storage.Space{Name: widest.Name + "g"}, "k", "v"),
		put(storage.Space{Name: "Points"}, "k", "v"), put(storage.Space{Name: "a/b"}, "k", "v"), put(storage.Space{Name: "a1"}, "k", "v"),
	} {
		err := s.Commit(t.ctx, w.next(), []storage.Op{put(points, "too", "much"), op})
		require.ErrorIs(t, err, storage.ErrTooLarge, "key of %d bytes in space %q", len(op.Key), op.Space.Name)
	}
	require.Equal(t, []string{"(absent)"}, t.get(s, points, "too"))
}

func sizesAreBounded(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	l := s.Limits()
	big := make([]byte, l.Value)
	for i := range big {
		big[i] = byte(i * i >> 8)
	}
	batch := func(size int) (ops []storage.Op) {
		for left := size; left > 0; {
			key := []byte(numbered(len(ops)))
			op := storage.Op{Space: log, Key: key[:min(len(key), left)]}
			left -= len(op.Key)
			op.Value = big[:min(len(big), left)]
			left -= len(op.Value)
			ops = append(ops, op)
		}
		return ops
	}
	require.ErrorIs(t, s.Commit(t.ctx, w.next(), batch(l.Batch+1)), storage.ErrTooLarge, "a batch of one byte more")
	require.Empty(t, t.all(s, log))
	w.commit(batch(l.Batch)...)
	s = t.reopen(s)
	got := t.read(s, storage.ReadRequest{Space: log, Keys: [][]byte{[]byte(numbered(1))}})[0].Values[0]
	require.True(t, slices.Equal(big, got), "the largest value comes back as it was")
}
