package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// A plug is a disk that can lose its power: it does everything at once and
// records it, so that afterwards we can ask what a medium may hold that was cut
// off after any of its effects.
type plug struct {
	disk   // does the work, and syncs nothing
	deeds  []deed
	synced bool               // a file's bytes are durable when write returns, as those of files are
	skip   func(nth int) bool // settles that are left out
	count  int
}

// A deed is one effect: a write (bytes), a rename (from, to), or a settle (none).
type deed struct {
	from, to string
	bytes    []byte
}

type unsynced struct{ disk }

func (unsynced) write(path string, parts ...[]byte) error {
	return create(path, func(*os.File) error { return nil }, parts)
}

func (p *plug) write(path string, parts ...[]byte) error {
	p.deeds = append(p.deeds, deed{to: path, bytes: bytes.Join(parts, nil)})
	return p.disk.write(path, parts...)
}

func (p *plug) rename(from, to string) error {
	p.deeds = append(p.deeds, deed{from: from, to: to})
	return p.disk.rename(from, to)
}

func (p *plug) settle() error {
	if p.count++; p.skip == nil || !p.skip(p.count) {
		p.deeds = append(p.deeds, deed{})
	}
	return nil
}

// medium returns what may be left of the deeds before cut: all that the last
// settle among them made durable, and any part of the rest.
func (p *plug) medium(cut int, dice *rand.Rand) map[string][]byte {
	settled := 0
	for i, d := range p.deeds[:cut] {
		if d.to == "" {
			settled = i
		}
	}
	left := map[string][]byte{}
	for i, d := range p.deeds[:cut] {
		durable := i < settled
		switch content, written := left[d.from]; {
		case d.to == "":
		case d.from == "":
			left[d.to] = remains(d.bytes, durable || p.synced, dice)
		case written && (durable || dice.IntN(2) == 0):
			left[d.to] = content
			delete(left, d.from)
		}
	}
	return left
}

// remains returns what a medium may hold of content.
func remains(content []byte, durable bool, dice *rand.Rand) []byte {
	if durable {
		return content
	}
	switch dice.IntN(4) {
	case 0:
		return nil
	case 1:
		return content[:len(content)/2]
	case 2:
		return make([]byte, len(content))
	}
	return content
}

// loseThePower appends and syncs at random, cuts the power after a random
// effect, opens what is left, and says what was lost.
func loseThePower(t *testing.T, seed uint64, p *plug) error {
	dice := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "before")
	p.disk = unsynced{newFiles()}
	s, err := openWith(path, func(string) (disk, error) { return p, nil })
	require.NoError(t, err)
	told := appendAndSync(t, s, p, dice)
	require.NoError(t, s.Close())

	cut := dice.IntN(len(p.deeds) + 1)
	after := filepath.Join(t.TempDir(), "after")
	for name, content := range p.medium(cut, dice) {
		name = filepath.Join(after, strings.TrimPrefix(name, path))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, content, 0o600))
	}
	told = slices.DeleteFunc(told, func(a acknowledged) bool { return a.deeds > cut })
	return readBack(t, after, told)
}

// An acknowledged reference is one that a Sync has covered.
type acknowledged struct {
	ref   storage.Ref
	deeds int // that were done when the Sync returned
}

func appendAndSync(t *testing.T, s *Sink, p *plug, dice *rand.Rand) (all []acknowledged) {
	var waiting []storage.Ref
	for range 10 + dice.IntN(20) {
		if dice.IntN(3) > 0 {
			a := example
			a.Body = fmt.Appendf(nil, "page %d", dice.IntN(12)) // some of them again
			r, err := s.Append(context.Background(), a)
			require.NoError(t, err)
			waiting = append(waiting, r)
			continue
		}
		require.NoError(t, s.Sync(context.Background()))
		for _, r := range waiting {
			all = append(all, acknowledged{r, len(p.deeds)})
		}
		waiting = nil
	}
	return all
}

// readBack opens the sink in path: it must hold all that was acknowledged, and
// no named file that is not whole.
func readBack(t *testing.T, path string, told []acknowledged) error {
	s, err := openWith(path, func(string) (disk, error) { return unsynced{newFiles()}, nil })
	if err != nil {
		return err
	}
	defer s.Close()
	for _, a := range told {
		if _, err := s.Open(context.Background(), a.ref); err != nil {
			return fmt.Errorf("synced: %w", err)
		}
	}
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "lock" {
			return err
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if a, err := parse(content); err != nil || encode(a).name != entry.Name() {
			return errors.Join(fmt.Errorf("named file %s is not whole", file), err)
		}
		return nil
	})
}

// trials is how often the power is cut.
func trials() uint64 {
	if os.Getenv("WEIR_SOAK") != "" {
		return 400
	}
	return 25
}

func TestLossOfPowerTakesNothingThatWasSynced(t *testing.T) {
	for name, synced := range map[string]bool{"bytes durable at settle": false, "bytes durable at write": true} {
		t.Run(name, func(t *testing.T) {
			for seed := range trials() {
				require.NoError(t, loseThePower(t, seed, &plug{synced: synced}), "seed %d", seed)
			}
		})
	}
}

func TestLossOfPowerIsNoticedWithoutASettle(t *testing.T) {
	for name, c := range map[string]struct {
		plug plug
		want string
	}{
		"before the renames":                {plug{skip: func(nth int) bool { return nth%2 == 1 }}, "not whole"},
		"after the renames":                 {plug{skip: func(nth int) bool { return nth%2 == 0 }}, "synced"},
		"after the renames of synced bytes": {plug{synced: true, skip: func(nth int) bool { return nth%2 == 0 }}, "synced"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(200) {
				p := c.plug
				if err := loseThePower(t, seed, &p); err != nil {
					require.ErrorContains(t, err, c.want)
					return
				}
			}
			t.Fatal("nobody noticed")
		})
	}
}
