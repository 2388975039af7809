package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var raceChecks = []Check{
	{"of many who claim a free fence, one gets it", oneClaims},
	{"of many who commit the same sequence, one succeeds", oneCommits},
	{"once a claim has returned, no older commit succeeds or is in flight", claimEndsCommits},
	{"concurrent owners lose nothing", ownersLoseNothing},
	{"a commit of unknown outcome was applied whole, or never will be", unknownIsHonest},
}

// crowd is how many goroutines race.
const crowd = 8

// race runs do in crowd goroutines at once and returns their errors.
func race(do func(n int) error) []error {
	var (
		runners sync.WaitGroup
		start   = make(chan struct{})
		errs    = make([]error, crowd)
	)
	for n := range crowd {
		runners.Go(func() {
			<-start
			errs[n] = do(n)
		})
	}
	close(start)
	runners.Wait()
	return errs
}

// one requires that a single racer got through, and that rest is what the others
// were told. It returns the number of the winner.
func (t *trial) one(errs []error, rest error) (winner int) {
	winners := 0
	for n, err := range errs {
		if err == nil {
			winner = n
			winners++
			continue
		}
		require.ErrorIs(t, err, rest)
	}
	require.Equal(t, 1, winners, "winners of %d", len(errs))
	return winner
}

func oneClaims(t *trial) {
	s := t.open()
	for round := range 20 {
		name := fmt.Sprintf("p/%d", round)
		winner := t.one(race(func(n int) error {
			_, err := s.Claim(t.ctx, storage.Fence{Name: name, Owner: fmt.Sprint(n), TTL: long})
			return err
		}), storage.ErrHeld)
		f := t.fences(s, name)[0]
		require.Equal(t, fmt.Sprint(winner), f.Owner)
		require.EqualValues(t, 1, f.Generation)
	}
}

func oneCommits(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	for range 20 {
		f := w.next()
		winner := t.one(race(func(n int) error {
			v := fmt.Sprint(n)
			return s.Commit(t.ctx, f, []storage.Op{put(points, "a", v), put(log, v, ""), put(points, "b", v)})
		}), storage.ErrFenced)
		v := fmt.Sprint(winner)
		require.Equal(t, []string{v, v}, t.get(s, points, "a", "b"))
		require.Equal(t, []string{v + "="}, t.all(s, log), "what a fenced commit wrote")
		w.fence = f
		w.commit(del(log, v))
	}
}

// claimEndsCommits claims a fence while its owner commits: the sequence that the
// claim returned is the last one of the old generation, then and for ever.
func claimEndsCommits(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	for round := range 20 {
		var (
			owner    sync.WaitGroup
			started  = make(chan struct{})
			accepted = w.fence.Sequence
			ended    error
		)
		owner.Go(func() {
			for f := w.next(); ; f.Sequence++ {
				if ended = s.Commit(t.ctx, f, []storage.Op{put(points, "k", fmt.Sprint(f.Sequence))}); ended != nil {
					return
				}
				if accepted = f.Sequence; accepted == w.fence.Sequence+1 {
					close(started)
				}
			}
		})
		select {
		case <-started:
		case <-t.ctx.Done():
			require.NoError(t, t.ctx.Err(), "the owner never committed")
		}
		if round%2 == 1 {
			time.Sleep(time.Duration(round) * 100 * time.Microsecond) // claim at another point of a commit
		}
		claimed := t.claim(s, "p/1", "a")
		then := t.get(s, points, "k")
		owner.Wait()
		require.ErrorIs(t, ended, storage.ErrFenced, "what ended the old generation")
		require.Equal(t, fmt.Sprint(claimed.fence.Sequence), then[0], "the state once the claim had returned")
		require.Equal(t, claimed.fence.Sequence, accepted, "commits accepted of the old generation")
		require.Equal(t, then, t.get(s, points, "k"), "the state after the old owner was told")
		w = claimed
	}
}

func ownersLoseNothing(t *trial) {
	s := t.open()
	const commits = 25
	var reads atomic.Int64
	errs := race(func(n int) error {
		f, err := s.Claim(t.ctx, storage.Fence{Name: fmt.Sprintf("p/%d", n), Owner: "a", TTL: long})
		for i := 0; i < commits && err == nil; i++ {
			key := fmt.Sprintf("%d/%08d", n, i)
			f.Sequence++
			f.TTL = long
			err = errors.Join(
				s.Commit(t.ctx, f, []storage.Op{put(points, key, "v"), put(log, key, "v"), del(log, fmt.Sprintf("%d/%08d", n, i-1))}),
				t.sees(s, key, &reads),
			)
		}
		return err
	})
	require.NoError(t, errors.Join(errs...))
	require.EqualValues(t, crowd*commits, reads.Load())
	require.Len(t, t.all(s, points), crowd*commits)
	require.Len(t, t.all(s, log), crowd)
	for _, f := range t.fences(s, "p/") {
		require.EqualValues(t, commits, f.Sequence)
	}
}

// sees tells whether key is in both spaces.
func (t *trial) sees(s storage.Store, key string, reads *atomic.Int64) error {
	r, err := s.Read(t.ctx,
		storage.ReadRequest{Space: points, Keys: [][]byte{[]byte(key)}},
		storage.ReadRequest{Space: log, From: []byte(key), Limit: 1})
	if err != nil {
		return err
	}
	if string(r[0].Values[0]) != "v" || len(r[1].Keys) != 1 || string(r[1].Keys[0]) != key {
		return fmt.Errorf("a commit that has returned is not seen: %s", key)
	}
	reads.Add(1)
	return nil
}

// unknownIsHonest ends the context of commits at random moments, then claims and
// looks.
func unknownIsHonest(t *trial) {
	s := t.open()
	w := t.claim(s, "p/1", "a")
	want := []string{}
	for n := range 100 {
		f := w.next()
		var ops []storage.Op
		var batch []string
		for i := range 20 {
			key := fmt.Sprintf("%08d/%02d", n, i)
			ops = append(ops, put(points, key, "v"), put(log, key, "v"))
			batch = append(batch, key+"=v")
		}
		err := t.interrupted(time.Duration(rand.IntN(1000))*time.Microsecond, func(ctx context.Context) error {
			return s.Commit(ctx, f, ops)
		})
		require.NotErrorIs(t, err, storage.ErrFenced, "the next sequence")
		require.NotErrorIs(t, err, storage.ErrTooLarge, "a small batch")
		claimed := t.claim(s, "p/1", "a")
		if err == nil {
			require.Equal(t, f.Sequence, claimed.fence.Sequence, "a commit that succeeded")
		}
		if claimed.fence.Sequence == f.Sequence {
			want = append(want, batch...)
		} else {
			require.Equal(t, w.fence.Sequence, claimed.fence.Sequence, "a commit that was not applied")
		}
		for _, space := range []storage.Space{points, log} {
			got := t.scan(s, storage.ReadRequest{Space: space, From: []byte(fmt.Sprintf("%08d", n)), Limit: 100})
			require.Equal(t, want[max(len(want)-len(got), 0):], got, "the batch after the claim")
		}
		w = claimed
	}
	require.Equal(t, want, t.all(s, points), "what was applied, in the end")
	require.Equal(t, want, t.all(s, log), "what was applied, in the end")
}

// interrupted calls do with a context that is cancelled after d.
func (t *trial) interrupted(d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(t.ctx)
	defer time.AfterFunc(d, cancel).Stop()
	defer cancel()
	return do(ctx)
}
