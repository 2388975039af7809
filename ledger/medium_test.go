package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weircrawl/weir/storage"
)

// A medium is a disk in memory, of one folder, that can lose its power: it knows
// what it has and what of it is durable.
type medium struct {
	names  map[string]*content // as they are
	kept   map[string]*content // as they were at the last settle
	since  []rename            // since then
	locked map[string]bool

	effects int
	cut     int // the effect at which the power fails; 0: never
	trace   []string
}

// A content is what one file has.
type content struct{ now, synced []byte }

// A rename is a change of names; a new file is one from nowhere, a removed one
// goes nowhere.
type rename struct {
	from, to string
	new      *content
}

func (r rename) on(names map[string]*content) {
	c := r.new
	if c == nil {
		c = names[r.from]
		delete(names, r.from)
	}
	if r.to != "" && c != nil {
		names[r.to] = c
	}
}

func newMedium() *medium {
	return &medium{names: map[string]*content{}, kept: map[string]*content{}, locked: map[string]bool{}}
}

var errPower = errors.New("the power has failed")

// effect counts and notes one, and reports whether there is power for it.
func (m *medium) effect(what, path string) error {
	m.effects++
	m.trace = append(m.trace, what+" "+filepath.Base(path))
	if m.cut > 0 && m.effects >= m.cut {
		return errPower
	}
	return nil
}

func (m *medium) change(r rename) {
	r.on(m.names)
	m.since = append(m.since, r)
}

func (m *medium) open(path string) (file, error) {
	c, ok := m.names[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return &opened{m, path, c}, nil
}

func (m *medium) make(path string) (file, error) {
	if m.names[path] == nil {
		if err := m.effect("make", path); err != nil {
			return nil, err
		}
		m.change(rename{to: path, new: &content{}})
	}
	return m.open(path)
}

func (m *medium) rename(from, to string) error {
	err := m.effect("rename", to)
	if err == nil {
		m.change(rename{from: from, to: to})
	}
	return err
}

func (m *medium) remove(path string) error {
	if m.names[path] == nil {
		return nil
	}
	err := m.effect("remove", path)
	if err == nil {
		m.change(rename{from: path})
	}
	return err
}

func (m *medium) settle(path string) error {
	err := m.effect("settle", filepath.Dir(path))
	if err == nil {
		m.kept, m.since = maps.Clone(m.names), nil
	}
	return err
}

func (m *medium) lock(path string) (lock, error) {
	if m.locked[path] {
		return nil, fmt.Errorf("%w by this test", storage.ErrLocked)
	}
	m.locked[path] = true
	return unlock(func() { m.locked[path] = false }), nil
}

type unlock func()

func (u unlock) Remove() error { u(); return nil }

// An opened is an open file.
type opened struct {
	m    *medium
	path string
	c    *content
}

func (o *opened) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(o.c.now).ReadAt(p, at)
}

func (o *opened) WriteAt(p []byte, at int64) (int, error) {
	err := o.m.effect("write", o.path)
	if err != nil {
		p = p[:len(p)/2]
	}
	if end := int(at) + len(p); end > len(o.c.now) {
		o.c.now = append(slices.Clone(o.c.now), make([]byte, end-len(o.c.now))...)
	} else {
		o.c.now = slices.Clone(o.c.now)
	}
	return copy(o.c.now[at:], p), err
}

func (o *opened) Truncate(size int64) error {
	if size == int64(len(o.c.now)) {
		return nil
	}
	err := o.m.effect("truncate", o.path)
	if err == nil {
		o.c.now = append(slices.Clone(o.c.now), make([]byte, max(0, int(size)-len(o.c.now)))...)[:size]
	}
	return err
}

func (o *opened) Sync() error {
	err := o.m.effect("sync", o.path)
	if err == nil {
		o.c.synced = o.c.now
	}
	return err
}

func (o *opened) size() (int64, error) { return int64(len(o.c.now)), nil }
func (o *opened) Close() error         { return nil }

// A loss says what is left of a medium after its power has failed.
type loss func(dice *rand.Rand) (changed bool, bytes func(c content) []byte)

// losses are what may be left: all (only the process has died), no more than is
// durable, or any part.
var losses = map[string]loss{
	"the process dies": func(*rand.Rand) (bool, func(content) []byte) {
		return true, func(c content) []byte { return c.now }
	},
	"the cache is lost": func(*rand.Rand) (bool, func(content) []byte) {
		return false, func(c content) []byte { return c.synced }
	},
	"a part is lost": func(dice *rand.Rand) (bool, func(content) []byte) {
		return dice.IntN(2) == 0, func(c content) []byte { return c.remains(dice) }
	},
}

// remains is what a medium may hold of a file.
func (c content) remains(dice *rand.Rand) []byte {
	same := 0
	for same < min(len(c.now), len(c.synced)) && c.now[same] == c.synced[same] {
		same++
	}
	switch dice.IntN(4) {
	case 0:
		return c.synced
	case 1: // the first part of what is new
		return c.now[:same+dice.IntN(len(c.now)-same+1)]
	case 2: // its size alone
		return append(slices.Clone(c.now[:same]), make([]byte, len(c.now)-same)...)
	}
	return c.now
}

// after is the medium as it is found when there is power again.
func (m *medium) after(l loss, dice *rand.Rand) *medium {
	left := newMedium()
	names := maps.Clone(m.kept)
	for _, r := range m.since {
		if changed, _ := l(dice); changed {
			r.on(names)
		}
	}
	for path, c := range names {
		_, bytes := l(dice)
		text := bytes(*c)
		left.names[path] = &content{text, text}
	}
	left.kept = maps.Clone(left.names)
	return left
}

// String lists the files and what is in them.
func (m *medium) String() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(m.names)) {
		fmt.Fprintf(&b, "-- %s --\n%s", path, m.names[path].now)
	}
	return b.String()
}

var _ io.WriterAt = (*opened)(nil)
