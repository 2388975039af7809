//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// A Store is a memory.Store whose writes outlive the process: each is a line of a
// log that is only ever appended to, and opening the log makes them again. All
// comparing and ordering is left to the store in memory.
type Store struct {
	storage.Store // what the log says

	mu     sync.Mutex // one line at a time
	log    *os.File
	broken error // why the log cannot be trusted to end with a whole line
}

// An entry is one Claim that succeeded, or one Commit that was tried.
type entry struct {
	Claim bool `json:",omitempty"`
	Fence storage.Fence
	Ops   []storage.Op `json:",omitempty"`
}

// header is the first line of every log.
const header = "weir customstore 1\n"

// Open opens the log at path, or makes a new one where there is no file. It cuts
// off a line that a crash has torn; other damage is storage.ErrCorrupt. A log that
// is open elsewhere is storage.ErrLocked.
func Open(path string) (*Store, error) {
	log, err := openLog(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{Store: memory.New(), log: log}
	if err := s.replay(); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, errors.Join(err, log.Close()))
	}
	return s, nil
}

func openLog(path string) (*os.File, error) {
	log, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(path); err == nil {
			log, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(log.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(storage.ErrLocked, err, log.Close())
	}
	return log, nil
}

// create makes an empty log, which appears at path whole or not at all: a file
// without a header is damaged, never new. If two processes create it, one does.
func create(path string) error {
	dir := filepath.Dir(path)
	temporary, err := os.CreateTemp(dir, "new-*.log")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) //nolint:errcheck // what stays is a file that nobody reads
	_, err = temporary.WriteString(header)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	if err := os.Link(temporary.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// replay makes every write of the log again, in memory.
func (s *Store) replay() error {
	lines := bufio.NewReader(s.log)
	first, err := lines.ReadString('\n')
	if err != nil {
		return errors.Join(storage.ErrCorrupt, err)
	}
	if first != header {
		return fmt.Errorf("%w: %q", storage.ErrVersion, first)
	}
	for whole := int64(len(header)); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return s.log.Truncate(whole) // the line that a crash has torn was never acknowledged
		}
		if err != nil {
			return err
		}
		e, err := parse(line)
		if err == nil {
			err = s.again(e)
		}
		if err != nil {
			return fmt.Errorf("%w: the line at byte %d: %w", storage.ErrCorrupt, whole, err)
		}
		whole += int64(len(line))
	}
}

// again makes one write of the log again. Its owner is gone, so nobody holds the
// fence now; and a commit that was fenced off then is fenced off again.
func (s *Store) again(e entry) (err error) {
	e.Fence.TTL = 0
	if e.Claim {
		_, err = s.Store.Claim(context.Background(), e.Fence)
	} else if err = s.Store.Commit(context.Background(), e.Fence, e.Ops); errors.Is(err, storage.ErrFenced) {
		err = nil
	}
	return err
}

// Claim makes the new generation durable before anybody can use it.
func (s *Store) Claim(ctx context.Context, want storage.Fence) (storage.Fence, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.Store.Claim(ctx, want)
	if err != nil {
		return f, err
	}
	return f, s.append(entry{Claim: true, Fence: want})
}

// Limits are those of the store in memory, with shorter lines.
func (s *Store) Limits() storage.Limits {
	limits := s.Store.Limits()
	limits.Batch = 4 << 20
	return limits
}

// Commit makes ops durable before anybody can read them.
func (s *Store) Commit(ctx context.Context, f storage.Fence, ops []storage.Op) error {
	if err := s.Limits().CheckCommit(f, ops); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.Fences(ctx, f.Name); err != nil {
		return err // closed, or the context has ended
	}
	if err := s.append(entry{Fence: f, Ops: ops}); err != nil {
		return err
	}
	return s.Store.Commit(context.WithoutCancel(ctx), f, ops)
}

// append adds a line, and answers once it is on the disk. After an error nobody
// knows what is there: the store writes nothing more until it is opened again.
func (s *Store) append(e entry) error {
	if s.broken != nil {
		return fmt.Errorf("close the store and open it again: %w", s.broken)
	}
	line, err := format(e)
	if err == nil {
		_, err = s.log.Write(line)
	}
	if err == nil {
		err = s.log.Sync()
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = errors.Join(storage.ErrNoSpace, err)
	}
	s.broken = err
	return err
}

// Close frees the log.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.Store.Close(), s.log.Close())
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// A line is the CRC-32C of the JSON text of an entry, a space, and that text.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const checksumSize = len("01234567 ")

func format(e entry) ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(text, castagnoli), text), nil
}

func parse(line []byte) (e entry, err error) {
	if len(line) <= checksumSize {
		return e, errors.New("too short")
	}
	text := line[checksumSize : len(line)-1]
	if string(line[:checksumSize]) != fmt.Sprintf("%08x ", crc32.Checksum(text, castagnoli)) {
		return e, errors.New("another checksum")
	}
	return e, json.Unmarshal(text, &e)
}
