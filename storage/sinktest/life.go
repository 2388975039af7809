package sinktest

import (
	"errors"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var lifeChecks = []Check{
	{"what was synced outlasts Close", syncedOutlasts},
	{"Close syncs", closeSyncs},
	{"after Close every method answers ErrClosed", closedAnswers},
	{"sixty-four callers do not disturb each other", manyCallers},
	{"Close keeps every artifact that Append took meanwhile", closeWaits},
}

func syncedOutlasts(t *trial) {
	s := t.open()
	var refs []storage.Ref
	for round := range 3 {
		for range 20 {
			refs = append(refs, t.append(s, exchange(len(refs))))
		}
		t.sync(s)
		if round > 0 { // the last artifacts, and all before them
			s = t.reopen(s)
		}
		for n, r := range refs {
			t.holds(s, r, exchange(n), "after opening again")
		}
	}
}

func closeSyncs(t *trial) {
	s := t.open()
	var refs []storage.Ref
	for n := range 20 {
		refs = append(refs, t.append(s, exchange(n)))
	}
	s = t.reopen(s)
	for n, r := range refs {
		t.holds(s, r, exchange(n), "after Close without Sync")
	}
}

func closedAnswers(t *trial) {
	s := t.open()
	r := t.append(s, exchange(1))
	require.NoError(t, s.Close(), "close")
	_, err := s.Append(t.ctx, exchange(2))
	require.ErrorIs(t, err, storage.ErrClosed, "Append")
	_, err = s.Open(t.ctx, r)
	require.ErrorIs(t, err, storage.ErrClosed, "Open")
	require.ErrorIs(t, s.Sync(t.ctx), storage.ErrClosed, "Sync")
	require.NoError(t, s.Close(), "closing twice")
}

const callers = 64

// manyCallers lets each caller append, open, sync and open again.
func manyCallers(t *trial) {
	s := t.open()
	refs, faults := make([]storage.Ref, callers*4), make([]error, callers)
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for n := caller; n < len(refs) && faults[caller] == nil; n += callers {
				refs[n], faults[caller] = visit(t, s, n)
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(faults...))
	s = t.reopen(s)
	for n, r := range refs {
		t.holds(s, r, exchange(n), "appended among others")
	}
}

// visit is for goroutines: it returns what a trial would stop at.
func visit(t *trial, s storage.ArtifactSink, n int) (storage.Ref, error) {
	r, err := s.Append(t.ctx, exchange(n))
	if err != nil {
		return r, err
	}
	for range 2 {
		got, err := s.Open(t.ctx, r)
		if err != nil {
			return r, err
		}
		if text := difference(exchange(n), got); text != "" {
			return r, errors.New(text)
		}
		if err := s.Sync(t.ctx); err != nil {
			return r, err
		}
	}
	return r, nil
}

// closeWaits closes the sink under callers that go on until they are told so.
func closeWaits(t *trial) {
	for range 3 {
		s := t.open()
		refs, faults := make([][]storage.Ref, 8), make([]error, 8)
		var all, started sync.WaitGroup
		for caller := range refs {
			started.Add(1)
			all.Go(func() {
				refs[caller], faults[caller] = appendUntilClosed(t, s, caller*1000, started.Done)
			})
		}
		started.Wait()
		require.NoError(t, s.Close(), "close")
		all.Wait()
		s = t.open()
		for caller := range refs {
			require.ErrorIs(t, faults[caller], storage.ErrClosed, "what ended caller %d", caller)
			for i, r := range refs[caller] {
				t.holds(s, r, exchange(caller*1000+i), "appended while Close was called")
			}
		}
		require.NoError(t, s.Close(), "close")
	}
}

// appendUntilClosed calls started when the first artifact is in.
func appendUntilClosed(t *trial, s storage.ArtifactSink, from int, started func()) (refs []storage.Ref, err error) {
	once := sync.OnceFunc(started)
	defer once()
	for n := from; ; n++ {
		r, err := s.Append(t.ctx, exchange(n))
		if err != nil {
			return refs, err
		}
		refs = append(refs, r)
		once()
	}
}
