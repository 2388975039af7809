package weir

import (
	"sync"

	"github.com/weircrawl/weir/frontier"
)

// backlog holds completions that wait for their commit, bounded in number and in
// bytes. Where it is full workers wait, and fewer leases are taken.
type backlog struct {
	queue chan frontier.Completion

	mu    sync.Mutex
	room  *sync.Cond
	bytes int64 // of completions that are not committed yet
}

// maxBacklog is how many bytes may wait; one completion may be larger.
const maxBacklog = 64 << 20

func newBacklog(most int) *backlog {
	b := &backlog{queue: make(chan frontier.Completion, most)}
	b.room = sync.NewCond(&b.mu)
	return b
}

// put adds c once there is room for it.
func (b *backlog) put(c frontier.Completion) {
	size := sizeOf(c)
	b.mu.Lock()
	for b.bytes > 0 && b.bytes+size > maxBacklog {
		b.room.Wait()
	}
	b.bytes += size
	b.mu.Unlock()
	b.queue <- c
}

// take waits for a completion and returns all that wait, in the room of group.
// It returns nothing once the backlog is closed and empty.
func (b *backlog) take(group []frontier.Completion) []frontier.Completion {
	c, ok := <-b.queue
	for ok {
		group = append(group, c)
		if len(group) == cap(group) {
			return group
		}
		select {
		case c, ok = <-b.queue:
		default:
			return group
		}
	}
	return group
}

// done gives back the room of completions that were committed, or given up.
func (b *backlog) done(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes -= size
	b.room.Broadcast()
}

// sizeOf is about the memory that completions hold.
func sizeOf(group ...frontier.Completion) (size int64) {
	for i := range group {
		size += 1 << 10
		for _, ref := range group[i].References {
			size += 96 + int64(len(ref.Observed))
		}
		for _, record := range group[i].Records {
			size += 64 + int64(len(record.Data))
		}
	}
	return size
}
