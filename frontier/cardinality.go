package frontier

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

// patternKey names one pattern of an origin: 64 bits of SHA-256 of its text. The
// zero key is that of a URL which has its pattern alone.
type patternKey struct{ origin, hash uint64 }

// keyOf is the key of a request's pattern, if more than one URL can have it.
func keyOf(origin uint64, request, pattern string) patternKey {
	if !varies(request, pattern) {
		return patternKey{}
	}
	sum := sha256.Sum256([]byte(pattern))
	return patternKey{origin, max(binary.BigEndian.Uint64(sum[:8]), 1)}
}

// varies reports whether something of a request is folded in its pattern. The host
// is not looked at: all URLs of an origin have it.
func varies(request, pattern string) bool {
	_, rest, _ := strings.Cut(request, "://")
	_, path, _ := strings.Cut(rest, "/")
	_, folded, _ := strings.Cut(pattern, "/")
	return path != folded
}

// cardinality counts the URLs that were admitted of each pattern. It is exact: what
// memory has dropped stands in the pattern's row.
type cardinality = recent[patternKey, int64]

// halfPatterns is how many patterns one map holds: 3 MB.
const halfPatterns = 1 << 15

func newCardinality() cardinality { return newRecent[patternKey, int64](halfPatterns) }

// pattern is that of c's request, and its key; it takes some time.
func (c *candidate) pattern() (string, patternKey) {
	if c.template == "" {
		c.template = patternOf(c.url.Request)
		c.templateKey = keyOf(c.origin, c.url.Request, c.template)
	}
	return c.template, c.templateKey
}

// patternFull reports whether the bound of c's pattern is reached. What an operator
// names one by one has none: no trap made it.
func (t *tx) patternFull(s *source, c *candidate, p Policy) (bool, error) {
	most := t.f.head.contract.Budget.Pattern
	if p.Pattern > 0 {
		most = p.Pattern
	}
	if named := s.named(); named == Seed || named == AdminCall || c.ref.Hint || !t.f.head.contract.Patterns {
		return false, nil
	}
	text, key := c.pattern()
	if key == (patternKey{}) || slices.Contains(p.Exempt, text) {
		return false, nil
	}
	n, err := t.patternCount(key)
	return n >= most, err
}

// patternCount is how many URLs of a pattern were admitted.
func (t *tx) patternCount(k patternKey) (int64, error) {
	if n, ok := t.f.cardinality.get(k); ok || t.f.cardinality.whole {
		return n, nil
	}
	got, err := t.f.cfg.Store.Read(t.ctx, storage.ReadRequest{Space: spacePattern, Keys: [][]byte{t.f.keys.pattern(k)}})
	if err != nil {
		return 0, fmt.Errorf("read pattern: %w", err)
	}
	return t.knowPattern(k, got[0].Values[0])
}

// knowPattern takes a pattern's row into memory.
func (t *tx) knowPattern(k patternKey, row []byte) (int64, error) {
	n := int64(0)
	if row != nil {
		p, err := decodePattern(row)
		if err != nil {
			return 0, err
		}
		n = p.admitted
	}
	t.f.cardinality.put(k, n)
	return n, nil
}

// patternRow is how many URLs of a pattern were admitted.
type patternRow struct {
	admitted int64
	pattern  string
}

func (p *patternRow) encode() []byte {
	w := codec.NewWriter(rowVersion, make([]byte, 0, len(p.pattern)+16))
	w.Uint(uint64(p.admitted))
	w.String(p.pattern)
	return w.Seal()
}

func decodePattern(v []byte) (patternRow, error) {
	r := codec.NewReader(v, rowVersion)
	p := patternRow{admitted: int64(r.Uint()), pattern: r.String()}
	return p, damaged(spacePattern, r.Close())
}

// admitPattern counts an admitted URL under its pattern, for the commit's rows.
func (t *tx) admitPattern(u *urlRow) error {
	if !t.f.head.contract.Patterns || isHint(u.key) {
		return nil
	}
	text := patternOf(u.url)
	k := keyOf(u.place.origin, u.url, text)
	if k == (patternKey{}) {
		return nil
	}
	n, err := t.patternCount(k)
	if err != nil {
		return err
	}
	t.f.cardinality.put(k, n+1)
	if t.patterns == nil {
		t.patterns = map[patternKey]string{}
	}
	t.patterns[k] = text
	return nil
}

// flushPatterns writes the rows of the patterns that the group has counted.
func (t *tx) flushPatterns() {
	for k, text := range t.patterns {
		n, _ := t.f.cardinality.get(k)
		row := patternRow{admitted: n, pattern: text}
		t.put(spacePattern, t.f.keys.pattern(k), row.encode())
	}
}

func (p *replayed) admitPattern(u *urlRow) error {
	if !p.head.contract.Patterns || isHint(u.key) {
		return nil
	}
	text := patternOf(u.url)
	if k := keyOf(u.place.origin, u.url, text); k != (patternKey{}) {
		p.patterns[k] = patternRow{admitted: p.patterns[k].admitted + 1, pattern: text}
	}
	return nil
}

// comparePatterns compares the rows of patterns with what the log counts.
func (r *Reader) comparePatterns(ctx context.Context, p *replayed, faults *Faults) error {
	for row, err := range r.all(ctx, spacePattern) {
		if err != nil {
			return err
		}
		k := patternKey{field(row[0], 0), field(row[0], 1)}
		kept, err := decodePattern(row[1])
		if err != nil {
			return err
		}
		if again := p.patterns[k]; again != kept {
			faults.add("pattern %s: replayed %d, kept %d", kept.pattern, again.admitted, kept.admitted)
		}
		delete(p.patterns, k)
	}
	for _, again := range p.patterns {
		faults.add("pattern %s is in the log alone", again.pattern)
	}
	return nil
}
