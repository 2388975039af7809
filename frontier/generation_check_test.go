package frontier

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// counterNames are the counters of a head, in order.
var counterNames = [...]string{"slots", "moved", "origins", "requests", "bytes", "reserved", "active", "hosts", "observed", "results", "records", "paused", "offers", "late", "conflict", "entries"}

// TestAWrongGenerationIsNamed changes what a generation says, one thing at a time,
// with a checksum that is right: log, edges and results say otherwise.
func TestAWrongGenerationIsNamed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("life"), func(c *Config) { c.Budget.URLs = 6 })
		for i := range 3 {
			seed(t, f, numbered(3*i+3)...)
			for _, l := range lease(t, f, 2) {
				complete(t, f, page(l, "/x"))
			}
			freeze(t, f)
		}
		require.NoError(t, f.Close())
		require.NoError(t, examine(t.Context(), s))

		k := keys{run: 1}
		key := k.nums(2)
		read := func() []byte {
			got, err := s.Read(t.Context(), storage.ReadRequest{Space: spaceGeneration, Keys: [][]byte{key}})
			require.NoError(t, err)
			return got[0].Values[0]
		}
		kept := read()
		changes := map[string]func(h *head){
			"name":    func(h *head) { h.name = "other" },
			"began":   func(h *head) { h.began++ },
			"phase":   func(h *head) { h.phase = Finished },
			"reason":  func(h *head) { h.reason = "x" },
			"since":   func(h *head) { h.since-- },
			"commit":  func(h *head) { h.seq-- },
			"time":    func(h *head) { h.at++ },
			"last":    func(h *head) { h.finish-- },
			"hosts":   func(h *head) { h.joined = nil },
			"ordinal": func(h *head) { h.frozen++ },
			"number":  func(h *head) { h.number++ },
			"terms":   func(h *head) { h.contract.Budget.URLs++; h.terms = nil },
			"held":    func(h *head) { h.held.total++; h.sketch = nil },
		}
		h, err := decodeHead(kept)
		require.NoError(t, err)
		for i := range h.counters() {
			changes["counter "+counterNames[i]] = func(h *head) { *h.counters()[i]++ }
		}
		for i := range h.states {
			changes["state "+string(rune('0'+i))] = func(h *head) { h.states[i]++ }
		}
		for at := range h.tallies {
			changes["tally "+string(at.reason)] = func(h *head) { h.tallies[at].count++ }
			changes["example "+string(at.reason)] = func(h *head) { h.tallies[at].example += "x" }
		}
		require.Contains(t, changes, "tally urls")
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		walked := map[string]bool{"last": true, "counter results": true, "counter records": true}
		for what, change := range changes {
			h, err := decodeHead(kept)
			require.NoError(t, err)
			change(h)
			changed := h.encode()
			require.NotEqual(t, kept, changed, what)
			rewrite(t, s, storage.Op{Space: spaceGeneration, Key: key, Value: changed})
			err = examine(t.Context(), s)
			require.True(t, found(err), "%s: %v", what, err)
			assert.Contains(t, err.Error(), "generation", what)
			if walked[what] {
				assert.ErrorContains(t, r.Check(t.Context()), "generation life.2", "the walk over the results finds %s", what)
				delete(walked, what)
			}
		}
		require.Empty(t, walked)
		rewrite(t, s, storage.Op{Space: spaceGeneration, Key: key, Value: kept})
		require.NoError(t, examine(t.Context(), s))
	})
}

// TestAnExtraOrMissingGenerationIsNamed copies and removes rows, the newest too.
func TestAnExtraOrMissingGenerationIsNamed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, named("life"))
		seed(t, f, numbered(2)...)
		freeze(t, f)
		require.NoError(t, f.Stop(t.Context(), "operator"))
		require.NoError(t, f.Close())
		k := keys{run: 1}
		last, err := s.Read(t.Context(), storage.ReadRequest{Space: spaceGeneration, Keys: [][]byte{k.nums(2)}})
		require.NoError(t, err)
		row := bytes.Clone(last[0].Values[0])
		h, err := decodeHead(row)
		require.NoError(t, err)
		h.frozen++
		for name, op := range map[string]storage.Op{
			"one more":  {Space: spaceGeneration, Key: k.nums(3), Value: h.encode()},
			"a copy":    {Space: spaceGeneration, Key: k.nums(3), Value: row},
			"none last": {Space: spaceGeneration, Key: k.nums(2), Delete: true},
		} {
			rewrite(t, s, op)
			require.True(t, found(examine(t.Context(), s)), name)
			if name == "none last" {
				r, err := NewReader(t.Context(), s, "")
				require.NoError(t, err)
				_, err = r.Generation(t.Context(), "")
				require.ErrorIs(t, err, storage.ErrCorrupt)
			}
			rewrite(t, s, storage.Op{Space: spaceGeneration, Key: k.nums(3), Delete: true}, storage.Op{Space: spaceGeneration, Key: k.nums(2), Value: row})
		}
		require.NoError(t, examine(t.Context(), s))
	})
}

// TestHeadThatHoldsBackMoreThanTheLedgerIsNamed changes what the patterns of a head
// add up to.
func TestHeadThatHoldsBackMoreThanTheLedgerIsNamed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := memory.New()
		f := openRaw(t, s, func(c *Config) { c.Budget.URLs = 1 })
		seed(t, f, numbered(3)...)
		require.NoError(t, f.Close())
		verify(t, s)
		h, err := readHead(t.Context(), s, keys{run: 1})
		require.NoError(t, err)
		h.hold(LimitReached, ReasonURLs, 1, "http://a.test/9", "/9")
		rewrite(t, s, storage.Op{Space: spaceHead, Key: keys{run: 1}.head(), Value: h.encode()})
		r, err := NewReader(t.Context(), s, "")
		require.NoError(t, err)
		assert.ErrorContains(t, r.Check(t.Context()), "patterns held back: 2 found, 3 kept")
	})
}
