package storetest

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var fenceChecks = []Check{
	{"a new fence begins at sequence zero with an empty value", newFence},
	{"every claim raises the generation and keeps sequence and value", claimRaises},
	{"a held fence is given to nobody else", heldFence},
	{"the owner may claim again", ownerClaimsAgain},
	{"a claim with a zero TTL gives the fence up", claimGivesUp},
	{"a commit with a zero TTL gives the fence up", commitGivesUp},
	{"a fence expires by its TTL, never earlier", fenceExpires},
	{"a commit renews the TTL", commitRenews},
	{"an expired fence that nobody claimed still commits", expiredCommits},
	{"fences are listed by prefix and name", fencesAreListed},
	{"names of fences and owners are bounded", namesAreBounded},
}

func newFence(t *trial) {
	s := t.open()
	want := storage.Fence{Name: "p/1", Owner: "a", TTL: long, Generation: 7, Sequence: 8, Value: []byte("mine")}
	f, err := s.Claim(t.ctx, want)
	require.NoError(t, err)
	require.Equal(t, "p/1", f.Name)
	require.Equal(t, "a", f.Owner)
	require.EqualValues(t, 1, f.Generation, "generation of a new fence")
	require.Zero(t, f.Sequence, "sequence of a new fence")
	require.Empty(t, f.Value, "value of a new fence")
	require.Equal(t, long, f.TTL, "TTL of a claim")
}

func claimRaises(t *trial) {
	s := t.open()
	a := t.claim(s, "p/1", "a")
	f := a.next()
	f.Value = []byte("header")
	require.NoError(t, s.Commit(t.ctx, f, nil))
	again := t.claim(s, "p/1", "a").fence
	require.Equal(t, a.fence.Generation+1, again.Generation, "generation after a second claim")
	require.EqualValues(t, 1, again.Sequence, "sequence after one commit")
	require.Equal(t, "header", string(again.Value), "value of the last commit")
	other := t.claim(s, "p/2", "a").fence
	require.EqualValues(t, 1, other.Generation, "another fence has its own generation")
}

func heldFence(t *trial) {
	s := t.open()
	a := t.claim(s, "p/1", "a")
	f, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b", TTL: time.Second})
	require.ErrorIs(t, err, storage.ErrHeld)
	require.Equal(t, "a", f.Owner, "the fence returned with ErrHeld says who holds it")
	require.Equal(t, a.fence.Generation, f.Generation, "a refused claim raises nothing")
	require.Positive(t, f.TTL, "and for how long at most")
	t.remains(f, long)
	_, err = s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b"})
	require.ErrorIs(t, err, storage.ErrHeld, "only a fence that is one's own can be given up")
	a.commit(put(points, "k", "v"))
}

func ownerClaimsAgain(t *trial) {
	s := t.open()
	first, second := t.claim(s, "p/1", "a"), t.claim(s, "p/1", "a")
	require.Equal(t, first.fence.Generation+1, second.fence.Generation)
	require.ErrorIs(t, s.Commit(t.ctx, first.next(), nil), storage.ErrFenced, "the older generation is fenced off")
	second.commit(put(points, "k", "v"))
}

func claimGivesUp(t *trial) {
	s := t.open()
	a := t.claim(s, "p/1", "a")
	f, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a"})
	require.NoError(t, err)
	require.Equal(t, a.fence.Generation+1, f.Generation, "giving up raises the generation")
	require.Zero(t, f.TTL)
	require.ErrorIs(t, s.Commit(t.ctx, a.next(), nil), storage.ErrFenced, "a fence that was given up does not commit")
	b := t.claim(s, "p/1", "b")
	require.Equal(t, f.Generation+1, b.fence.Generation)
}

func commitGivesUp(t *trial) {
	s := t.open()
	a := t.claim(s, "p/1", "a")
	f := a.next()
	f.TTL = 0
	require.NoError(t, s.Commit(t.ctx, f, []storage.Op{put(points, "k", "last")}))
	require.Equal(t, []string{"last"}, t.get(s, points, "k"))
	b := t.claim(s, "p/1", "b")
	require.EqualValues(t, 1, b.fence.Sequence)
	require.ErrorIs(t, s.Commit(t.ctx, a.next(), nil), storage.ErrFenced)
}

// brief is a TTL that a check waits out.
const brief = 100 * time.Millisecond

func fenceExpires(t *trial) {
	s := t.open()
	_, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a", TTL: brief})
	require.NoError(t, err)
	start := time.Now()
	_, err = s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a", TTL: brief}) // counts from the last claim
	require.NoError(t, err)
	t.await(s, "p/1", "b")
	require.GreaterOrEqual(t, time.Since(start), brief, "claimed by another before the TTL had passed")
	list, err := s.Fences(t.ctx, "p/1")
	require.NoError(t, err)
	require.Equal(t, "b", list[0].Owner)
}

// await claims the fence for owner as soon as it is free.
func (t *trial) await(s storage.Store, name, owner string) {
	tick := time.NewTicker(brief / 20)
	defer tick.Stop()
	for {
		f, err := s.Claim(t.ctx, storage.Fence{Name: name, Owner: owner, TTL: long})
		if err == nil {
			return
		}
		require.ErrorIs(t, err, storage.ErrHeld)
		t.remains(f, brief)
		select {
		case <-tick.C:
		case <-t.ctx.Done():
			require.NoError(t, t.ctx.Err(), "the fence never expired")
		}
	}
}

func commitRenews(t *trial) {
	s := t.open()
	f, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a", TTL: brief})
	require.NoError(t, err)
	f.Sequence, f.TTL = 1, long
	require.NoError(t, s.Commit(t.ctx, f, nil))
	_, err = s.Claim(t.ctx, storage.Fence{Name: "p/clock", Owner: "a", TTL: brief})
	require.NoError(t, err)
	t.await(s, "p/clock", "b") // the first claim would have expired by now
	_, err = s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b", TTL: long})
	require.ErrorIs(t, err, storage.ErrHeld, "the expiry is the commit's, not the claim's")
}

func expiredCommits(t *trial) {
	s := t.open()
	f, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a", TTL: time.Nanosecond})
	require.NoError(t, err)
	t.await(s, "p/other", "b") // some time passes
	f.Sequence, f.TTL = 1, long
	require.NoError(t, s.Commit(t.ctx, f, []storage.Op{put(points, "k", "v")}), "the generation is safety, the TTL is liveness")
	_, err = s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b", TTL: long})
	require.ErrorIs(t, err, storage.ErrHeld, "and holds the fence again")
}

func fencesAreListed(t *trial) {
	s := t.open()
	for _, name := range []string{"q", "p/2", "p/10", "p", "p/1", "o"} {
		t.claim(s, name, "owner of "+name)
	}
	w := t.claim(s, "p/1", "owner of p/1")
	f := w.next()
	f.Value = []byte("header")
	require.NoError(t, s.Commit(t.ctx, f, nil))
	require.Equal(t, []storage.Fence{
		{Name: "p/1", Owner: "owner of p/1", Generation: 2, Sequence: 1, Value: []byte("header")},
		{Name: "p/10", Owner: "owner of p/10", Generation: 1},
		{Name: "p/2", Owner: "owner of p/2", Generation: 1},
	}, t.fences(s, "p/"))
	require.Len(t, t.fences(s, ""), 6, "an empty prefix lists all")
	require.Empty(t, t.fences(s, "x"))
	_, err := s.Claim(t.ctx, storage.Fence{Name: "gone", Owner: "a", TTL: time.Nanosecond})
	require.NoError(t, err)
	list, err := s.Fences(t.ctx, "gone")
	require.NoError(t, err)
	require.Len(t, list, 1, "an expired fence is listed")
	t.remains(list[0], time.Nanosecond)
}

func namesAreBounded(t *trial) {
	s := t.open()
	longest := storage.Fence{Name: strings.Repeat("n", 64), Owner: strings.Repeat("o", 128), TTL: long}
	f, err := s.Claim(t.ctx, longest)
	require.NoError(t, err, "the longest names")
	f.Sequence, f.Value = 1, []byte(strings.Repeat("v", 1024))
	require.NoError(t, s.Commit(t.ctx, f, nil), "the largest value of a fence")
	f.Sequence, f.Value = 2, append(f.Value, 'v')
	require.ErrorIs(t, s.Commit(t.ctx, f, nil), storage.ErrTooLarge, "value of a fence beyond 1 KiB")
	for _, want := range []storage.Fence{
		{Name: "", Owner: "a"}, {Name: "p", Owner: ""},
		{Name: longest.Name + "n", Owner: "a"}, {Name: "p", Owner: longest.Owner + "o"},
	} {
		_, err := s.Claim(t.ctx, want)
		require.ErrorIs(t, err, storage.ErrTooLarge, "claim of %q by %q", want.Name, want.Owner)
	}
	require.Len(t, t.fences(s, ""), 1, "a refused claim leaves nothing")
}
