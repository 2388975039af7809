//go:build unix

package weir_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weircrawl/weir/storage"
)

// ownStore is a storage.Store of these tests, from its interface alone: sorted
// maps in memory and, where it has a file, a line of JSON for each write.
type ownStore struct {
	every int // writes of the file are put off until there are so many; 1: never

	mu     sync.RWMutex
	closed bool
	spaces map[string]*sorted
	fences map[string]*ownFence
	file   *os.File // nil: in memory only
	late   [][]byte // lines that are acknowledged and not in the file
}

type ownFence struct {
	storage.Fence
	until time.Time
}

// sorted is a map whose keys have an order.
type sorted struct {
	keys   []string
	values map[string][]byte
}

func (s *sorted) put(key string, value []byte) {
	if _, known := s.values[key]; !known {
		at, _ := slices.BinarySearch(s.keys, key)
		s.keys = slices.Insert(s.keys, at, key)
	}
	s.values[key] = bytes.Clone(value)
}

func (s *sorted) remove(key string) {
	if at, known := slices.BinarySearch(s.keys, key); known {
		s.keys = slices.Delete(s.keys, at, at+1)
		delete(s.values, key)
	}
}

// An ownLine is one write, as the file has it.
type ownLine struct {
	Fence storage.Fence
	Ops   []storage.Op
}

// openOwn opens the store in the file at path, which may be new; no path is a
// store in memory.
func openOwn(path string) (*ownStore, error) {
	s := &ownStore{every: 1, spaces: map[string]*sorted{}, fences: map[string]*ownFence{}}
	if path == "" {
		return s, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(storage.ErrLocked, err, file.Close())
	}
	s.file = file
	return s, s.replay()
}

// replay makes the writes of the file again, and cuts off a torn one.
func (s *ownStore) replay() error {
	lines := bufio.NewReader(s.file)
	for whole := int64(0); ; {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return s.file.Truncate(whole)
		}
		var line ownLine
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", storage.ErrCorrupt, err)
		}
		whole += int64(len(text))
		line.Fence.TTL = 0 // its owner is gone
		s.apply(line)
	}
}

func (s *ownStore) usable(ctx context.Context) error {
	if s.closed {
		return storage.ErrClosed
	}
	return ctx.Err()
}

// write makes a line durable, and then visible.
func (s *ownStore) write(line ownLine) error {
	if s.file != nil {
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		s.late = append(s.late, append(text, '\n'))
		if len(s.late) >= s.every {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	s.apply(line)
	return nil
}

func (s *ownStore) flush() error {
	_, err := s.file.Write(bytes.Join(s.late, nil))
	s.late = nil
	return errors.Join(err, s.file.Sync())
}

func (s *ownStore) apply(line ownLine) {
	line.Fence.Value = bytes.Clone(line.Fence.Value)
	s.fences[line.Fence.Name] = &ownFence{line.Fence, time.Now().Add(line.Fence.TTL)}
	for _, op := range line.Ops {
		space := s.spaces[op.Space.Name]
		if space == nil {
			space = &sorted{values: map[string][]byte{}}
			s.spaces[op.Space.Name] = space
		}
		if op.Delete {
			space.remove(string(op.Key))
		} else {
			space.put(string(op.Key), op.Value)
		}
	}
}

func (s *ownStore) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	if err := want.Check(); err != nil {
		return storage.Fence{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return storage.Fence{}, err
	}
	next := storage.Fence{Name: want.Name}
	if old := s.fences[want.Name]; old != nil {
		next = old.now()
		if next.TTL > 0 && next.Owner != want.Owner {
			return next, storage.ErrHeld
		}
	}
	next.Owner, next.TTL = want.Owner, max(want.TTL, 0)
	next.Generation++
	return next, s.write(ownLine{Fence: next})
}

// now is the fence with what remains of its TTL.
func (f *ownFence) now() storage.Fence {
	now := f.Fence
	now.TTL, now.Value = max(time.Until(f.until), 0), bytes.Clone(f.Value)
	return now
}

func (s *ownStore) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := s.Limits().CheckCommit(f, ops); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	old := s.fences[f.Name]
	if old == nil || f.Generation != old.Generation || f.Sequence != old.Sequence+1 {
		return storage.ErrFenced
	}
	f.Owner, f.TTL = old.Owner, max(f.TTL, 0)
	return s.write(ownLine{Fence: f, Ops: ops})
}

func (s *ownStore) Read(ctx context.Context, requests ...storage.ReadRequest) ([]storage.ReadResult, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	results := make([]storage.ReadResult, len(requests))
	for i, r := range requests {
		if err := r.Check(); err != nil {
			return nil, err
		}
		if space := s.spaces[r.Space.Name]; space != nil {
			results[i] = space.read(r)
		} else if r.Keys != nil {
			results[i] = storage.ReadResult{Keys: r.Keys, Values: make([][]byte, len(r.Keys))}
		}
	}
	return results, nil
}

func (s *sorted) read(r storage.ReadRequest) (result storage.ReadResult) {
	take := func(key string) {
		value, known := s.values[key]
		if known {
			value = append([]byte{}, value...)
		}
		result.Keys, result.Values = append(result.Keys, []byte(key)), append(result.Values, value)
	}
	for _, key := range r.Keys {
		take(string(key))
	}
	if r.Keys != nil {
		return result
	}
	from, _ := slices.BinarySearch(s.keys, string(r.From))
	for _, key := range s.keys[from:] {
		if len(result.Keys) == r.Limit || r.To != nil && key >= string(r.To) {
			break
		}
		take(key)
	}
	return result
}

func (s *ownStore) Fences(ctx context.Context, prefix string) ([]storage.Fence, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var list []storage.Fence
	for name, f := range s.fences {
		if strings.HasPrefix(name, prefix) {
			list = append(list, f.now())
		}
	}
	slices.SortFunc(list, func(a, b storage.Fence) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (s *ownStore) Limits() storage.Limits {
	return storage.Limits{Value: 64 << 10, Batch: 8 << 20, Partitions: 1, Exclusive: true}
}

func (s *ownStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.file == nil {
		s.closed = true
		return nil
	}
	s.closed = true
	return errors.Join(s.flush(), s.file.Close())
}
