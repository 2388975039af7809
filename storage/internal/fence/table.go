// Package fence decides who may write: it is the part of a Store's contract that
// compares owners, generations, sequences and times, shared by the stores whose
// fences live in one process.
//
// A [Table] holds the fences as they were last made durable. Claim and Commit
// are pure: they answer what the fence becomes, or why not, and change nothing.
// The store makes the answer durable in its own way, and then calls Set. A
// failed write therefore leaves the table as it was.
//
// An expiry is a point on this process's monotonic clock, and is never stored:
// a fence that is loaded from a file has expired.
package fence

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/weircrawl/weir/storage"
)

// A Table is the fences of one store. The zero Table is empty. It is safe for
// concurrent use, but whoever decides and sets must be alone in doing so.
type Table struct {
	mu     sync.RWMutex
	fences btree.Map[string, held]
}

// held is a fence as it was last made durable.
type held struct {
	storage.Fence
	until time.Time // when it expires; in the past once nobody holds it
}

// Claim answers the fence that want's owner gets, a generation above the last
// one; or the fence as it is, and ErrHeld.
func (t *Table) Claim(want storage.Fence, now time.Time) (storage.Fence, error) {
	current, remains := t.get(want.Name, now)
	if remains > 0 && current.Owner != want.Owner {
		return current, fmt.Errorf("fence %q for %q: %w: %q for %v more",
			want.Name, want.Owner, storage.ErrHeld, current.Owner, remains)
	}
	current.Name, current.Owner = want.Name, want.Owner
	current.TTL = max(want.TTL, 0)
	current.Generation++
	return current, nil
}

// Commit answers the fence after a commit of f, or ErrFenced unless f is the
// next sequence of the current generation.
func (t *Table) Commit(f storage.Fence, now time.Time) (storage.Fence, error) {
	current, _ := t.get(f.Name, now)
	if current.Generation == 0 || f.Generation != current.Generation || f.Sequence != current.Sequence+1 {
		return storage.Fence{}, fmt.Errorf("fence %q: %w: generation %d sequence %d cannot follow generation %d sequence %d",
			f.Name, storage.ErrFenced, f.Generation, f.Sequence, current.Generation, current.Sequence)
	}
	current.TTL = max(f.TTL, 0)
	current.Sequence++
	current.Value = f.Value
	return current, nil
}

// Set makes f, an answer of Claim or Commit or a row of a file, what the table
// holds, with its TTL counted from now.
func (t *Table) Set(f storage.Fence, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.Value = bytes.Clone(f.Value)
	t.fences.Set(f.Name, held{Fence: f, until: now.Add(f.TTL)})
}

// List returns the fences whose names begin with prefix, by name, each with what
// remains of its TTL.
func (t *Table) List(prefix string, now time.Time) []storage.Fence {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var list []storage.Fence
	t.fences.Ascend(prefix, func(name string, h held) bool {
		if !strings.HasPrefix(name, prefix) {
			return false
		}
		list = append(list, h.at(now))
		return true
	})
	return list
}

// Free lets every fence expire, as opening an exclusive store does.
func (t *Table) Free() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range t.fences.Keys() {
		h, _ := t.fences.Get(name)
		h.until = time.Time{}
		t.fences.Set(name, h)
	}
}

func (t *Table) get(name string, now time.Time) (storage.Fence, time.Duration) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	h, _ := t.fences.Get(name)
	f := h.at(now)
	return f, f.TTL
}

// at returns a copy of h that the caller may keep and change.
func (h held) at(now time.Time) storage.Fence {
	f := h.Fence
	f.TTL = max(h.until.Sub(now), 0)
	f.Value = bytes.Clone(h.Value)
	return f
}
