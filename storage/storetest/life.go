package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var lifeChecks = []Check{
	{"what was committed outlasts Close", committedOutlasts},
	{"generations go on after opening again", generationsGoOn},
	{"opening frees every fence of an exclusive store, and of no other", openingFrees},
	{"S-O3 an exclusive store cannot be opened twice", openedOnce},
	{"after Close every method answers ErrClosed", closedAnswers},
	{"Close waits for calls in progress", closeWaits},
	{"a context that has ended leaves the store as it is", endedContext},
}

func committedOutlasts(t *trial) {
	s := t.open()
	a, b := t.claim(s, "p/1", "a"), t.claim(s, "p/2", "b")
	for n := range 50 {
		a.commit(put(points, numbered(n*7919%50), fmt.Sprint(n)), put(log, numbered(n), "x"), put(queue, numbered(n), ""))
		b.commit(del(queue, numbered(n/2)), put(points, "b", fmt.Sprint(n)))
	}
	f := a.next()
	f.Value = []byte("header")
	require.NoError(t, s.Commit(t.ctx, f, nil))
	read := func() [][]string { return [][]string{t.all(s, points), t.all(s, log), t.all(s, queue)} }
	before, fences := read(), t.fences(s, "")
	require.Len(t, before[0], 51)
	require.Len(t, before[2], 25)
	for range 2 {
		s = t.reopen(s)
		require.Equal(t, before, read(), "after opening again")
		require.Equal(t, fences, t.fences(s, ""), "after opening again")
	}
}

func generationsGoOn(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "k", "1"))
	old := t.claim(s, "p/1", "a")
	s = t.reopen(s)
	w := t.claim(s, "p/1", "a")
	require.Equal(t, old.fence.Generation+1, w.fence.Generation)
	require.EqualValues(t, 1, w.fence.Sequence)
	require.ErrorIs(t, s.Commit(t.ctx, old.next(), nil), storage.ErrFenced, "an owner from before Close is fenced off")
	w.commit(put(points, "k", "2"))
}

func openingFrees(t *trial) {
	s := t.open()
	t.claim(s, "p/1", "a").commit(put(points, "k", "1"))
	s = t.reopen(s)
	f, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "b", TTL: long})
	if s.Limits().Exclusive {
		require.NoError(t, err, "the owner is gone: nobody else can have the store open")
		require.EqualValues(t, 2, f.Generation)
		return
	}
	require.ErrorIs(t, err, storage.ErrHeld, "the owner may live in another process")
	require.Equal(t, "a", f.Owner)
}

func openedOnce(t *trial) {
	s := t.open()
	if !s.Limits().Exclusive {
		return
	}
	second, err := t.opener()
	if err == nil {
		err = errors.Join(errors.New("opened twice"), second.Close())
	}
	require.ErrorIs(t, err, storage.ErrLocked)
	t.claim(s, "p/1", "a").commit(put(points, "k", "1"))
	s = t.reopen(s)
	require.Equal(t, []string{"k=1"}, t.all(s, points))
}

func closedAnswers(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	w.commit(put(points, "k", "1"))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing twice")
	_, err := s.Claim(t.ctx, storage.Fence{Name: "p/1", Owner: "a", TTL: long})
	require.ErrorIs(t, err, storage.ErrClosed, "Claim")
	_, err = s.Read(t.ctx, storage.ReadRequest{Space: points, Limit: 1})
	require.ErrorIs(t, err, storage.ErrClosed, "Read")
	_, err = s.Fences(t.ctx, "")
	require.ErrorIs(t, err, storage.ErrClosed, "Fences")
	require.ErrorIs(t, s.Commit(t.ctx, w.next(), []storage.Op{put(points, "k", "2")}), storage.ErrClosed, "Commit")
	s = t.open()
	require.Equal(t, []string{"k=1"}, t.all(s, points), "a commit after Close did nothing")
}

// closeWaits closes a store that is being written and read from all sides: every
// call answers well or ErrClosed, and what answered well is there afterwards.
func closeWaits(t *trial) {
	s := t.open()
	var (
		callers sync.WaitGroup
		busy    sync.WaitGroup
		mu      sync.Mutex
		faults  []string
		want    = []string{}
	)
	for n := range 4 {
		w := t.claim(s, fmt.Sprintf("p/%d", n), "a")
		busy.Add(1)
		callers.Go(func() {
			var err error
			for i := 0; err == nil; i++ {
				f, key := w.next(), fmt.Sprintf("%d-%08d", n, i)
				if err = w.store.Commit(t.ctx, f, []storage.Op{put(points, key, "v")}); err == nil {
					w.fence = f
					mu.Lock()
					want = append(want, key+"=v")
					mu.Unlock()
					_, err = w.store.Read(t.ctx, storage.ReadRequest{Space: points, Limit: 100})
				}
				if i == 3 {
					busy.Done()
				}
			}
			if !errors.Is(err, storage.ErrClosed) {
				mu.Lock()
				defer mu.Unlock()
				faults = append(faults, err.Error())
			}
		})
	}
	busy.Wait()
	s = t.reopen(s)
	got := t.all(s, points)
	callers.Wait()
	require.Empty(t, faults)
	require.ElementsMatch(t, want, got, "what was committed before Close")
	require.Equal(t, got, t.all(s, points), "a call was still in progress when Close had returned")
}

func endedContext(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	w.commit(put(points, "k", "1"))
	ended, cancel := context.WithCancel(t.ctx)
	cancel()
	require.ErrorIs(t, s.Commit(ended, w.next(), []storage.Op{put(points, "k", "2")}), context.Canceled, "Commit")
	_, err := s.Claim(ended, storage.Fence{Name: "p/1", Owner: "a", TTL: long})
	require.ErrorIs(t, err, context.Canceled, "Claim")
	_, err = s.Read(ended, storage.ReadRequest{Space: points, Limit: 1})
	require.ErrorIs(t, err, context.Canceled, "Read")
	_, err = s.Fences(ended, "")
	require.ErrorIs(t, err, context.Canceled, "Fences")
	require.Equal(t, []string{"k=1"}, t.all(s, points))
	require.Equal(t, []storage.Fence{{Name: "p/1", Owner: "a", Generation: 1, Sequence: 1}}, t.fences(s, ""))
}
