package weir

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/frontier"
)

func completionOf(bytes int) frontier.Completion {
	return frontier.Completion{Records: []frontier.Record{{Data: []byte(strings.Repeat("x", bytes))}}}
}

func TestABacklogIsBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBacklog(100)
		put := 0
		go func() {
			for range 5 {
				b.put(completionOf(maxBacklog / 3))
				put++
			}
			close(b.queue)
		}()
		synctest.Wait()
		assert.Equal(t, 2, put, "the third finds no room")
		for put < 5 {
			group := b.take(make([]frontier.Completion, 0, 100))
			b.done(sizeOf(group...))
			synctest.Wait()
		}
		for len(b.take(make([]frontier.Completion, 0, 100))) > 0 {
		}
	})
}

func TestACompletionLargerThanTheBacklogPassesAlone(t *testing.T) {
	b := newBacklog(1)
	b.put(completionOf(maxBacklog + 1))
	assert.Len(t, b.take(make([]frontier.Completion, 0, 1)), 1)
}

func TestABacklogGivesAllThatWaitUpToAGroup(t *testing.T) {
	b := newBacklog(10)
	for range 7 {
		b.put(completionOf(1))
	}
	assert.Len(t, b.take(make([]frontier.Completion, 0, 5)), 5)
	assert.Len(t, b.take(make([]frontier.Completion, 0, 5)), 2)
	close(b.queue)
	assert.Empty(t, b.take(make([]frontier.Completion, 0, 5)))
}

func TestALeaseIsLostWhereverItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		now := time.Now()
		inReserve := frontier.Lease{ID: frontier.LeaseID{Ordinal: 1}, Deadline: now.Add(time.Second)}
		atWork := frontier.Lease{ID: frontier.LeaseID{Ordinal: 2}, Deadline: now.Add(time.Second)}
		later := frontier.Lease{ID: frontier.LeaseID{Ordinal: 3}, Deadline: now.Add(time.Minute)}
		h.add([]frontier.Lease{inReserve, atWork, later})
		ctx, err := h.work(t.Context(), atWork)
		assert.NoError(t, err)
		assert.Len(t, h.near(now.Add(30*time.Second)), 2)

		h.extended(inReserve, frontier.ErrStale)
		h.extended(atWork, frontier.ErrStale)
		h.extended(frontier.Lease{ID: frontier.LeaseID{Ordinal: 9}}, nil)
		assert.Error(t, ctx.Err(), "the work ends")
		_, err = h.work(t.Context(), inReserve)
		assert.ErrorIs(t, err, frontier.ErrStale, "the work does not begin")
		assert.Empty(t, h.near(now.Add(30*time.Second)))

		later.Deadline = now.Add(2 * time.Minute)
		h.extended(later, nil)
		assert.Empty(t, h.near(now.Add(90*time.Second)))
		for _, l := range []frontier.Lease{inReserve, atWork, later} {
			h.drop(l.ID)
		}
		assert.Empty(t, h.leases)
	})
}
