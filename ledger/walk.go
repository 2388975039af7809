package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"slices"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// account compares what s counts with what the rows say, and judges.
func account(s frontier.Summary, rows iter.Seq2[frontier.Result, error]) Receipt {
	r := of(s)
	w := newWalk()
	for row, err := range rows {
		if err != nil {
			r.Faults = append(r.Faults, fmt.Sprintf("results are unreadable after %d rows: %v", w.rows, err))
			break
		}
		if w.rows == s.Results {
			break // later commits: not of this receipt
		}
		w.take(row)
	}
	r.Results, r.Superseded, r.Duplicates, r.Records = w.rows, w.superseded, w.duplicates, w.records
	r.Truncated, r.Digest = w.truncated, w.sum()
	r.Missing = max(0, terminal(s)-w.distinct)
	r.Faults = append(r.Faults, disagreements(s, w)...)
	r.Verdict, r.Why = verdict(r.facts())
	return r
}

// facts picks from r what its verdict rests on.
func (r Receipt) facts() facts {
	f := facts{
		faults: r.Faults, phase: r.Phase, reason: r.Reason,
		duplicates: r.Duplicates, missing: r.Missing,
		failed: r.Counts[frontier.Failed], refused: r.Counts[frontier.Refused], cancelled: r.Counts[frontier.Cancelled],
		truncated: r.Truncated,
	}
	for _, t := range r.Unresolved {
		f.unresolved += t.Count
	}
	for _, t := range r.Reasons {
		if t.Reason == frontier.ReasonSeedLeftScope {
			f.leftScope += t.Count
			f.leftFirst = t.Example
		}
	}
	most := int64(0)
	for _, t := range r.Decided {
		if t.Decision != frontier.LimitReached && t.Decision != frontier.DeferredBudget {
			continue
		}
		if f.suppressed += t.Count; t.Count > most {
			most, f.bound = t.Count, t.Reason
		}
	}
	return f
}

// walk is what one pass over the results counts.
type walk struct {
	rows, distinct, superseded, duplicates, truncated, records int64

	ends   map[end]int64
	seen   map[cell]uint64
	digest hash.Hash
	buf    []byte
}

type end struct {
	state  frontier.State
	reason frontier.Reason
}

// cell stands for 64 URLs of one origin. URLs of an origin are numbered without
// gaps, so that a set of them takes little more than a bit a URL.
type cell struct{ origin, block uint64 }

func newWalk() *walk {
	return &walk{ends: map[end]int64{}, seen: map[cell]uint64{}, digest: sha256.New()}
}

// take counts one row. A second row of a URL is a duplicate, unless it says which
// one it replaces.
func (w *walk) take(row frontier.Result) {
	w.rows++
	w.records += int64(len(row.Records))
	w.write(row)
	at, bit := cell{row.ID.Origin, row.ID.Ordinal / 64}, uint64(1)<<(row.ID.Ordinal%64)
	known := w.seen[at]&bit != 0
	switch {
	case !known:
		w.distinct++
		w.seen[at] |= bit
	case row.Supersedes != 0:
		w.superseded++
		w.ends[end{row.Was, row.WasFor.Word()}]--
	default:
		w.duplicates++
		return
	}
	w.ends[end{row.State, row.Reason.Word()}]++
	if row.Outcome == frontier.OutcomeTruncated {
		w.truncated++
	}
}

// write adds identity and content of row to the digest. Each part comes after
// its length, so that no two rows read alike.
func (w *walk) write(row frontier.Result) {
	w.buf = binary.BigEndian.AppendUint64(w.buf[:0], row.ID.Origin)
	w.buf = binary.BigEndian.AppendUint64(w.buf, row.ID.Ordinal)
	w.buf = append(w.buf, byte(row.State), byte(row.Outcome))
	w.part(row.URL)
	w.part(string(row.Reason))
	w.part(row.Target)
	w.part(string(row.Evidence.Digest))
	for _, record := range row.Records {
		w.part(record.Kind)
		w.buf = binary.AppendUvarint(w.buf, uint64(len(record.Data)))
		w.buf = append(w.buf, record.Data...)
	}
	w.digest.Write(w.buf)
}

func (w *walk) part(s string) {
	w.buf = binary.AppendUvarint(w.buf, uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *walk) sum() storage.Digest {
	return storage.Digest("sha256:" + hex.EncodeToString(w.digest.Sum(nil)))
}

// disagreements names everything that s counts and the walk, or another counter
// of s, does not confirm.
func disagreements(s frontier.Summary, w *walk) []string {
	var faults []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	var decided, admitted int64
	for _, t := range s.Decided {
		decided += t.Count
		if t.Decision == frontier.Admitted {
			admitted += t.Count
		}
	}
	check(decided == s.Observed, "%d references were observed, %d have a disposition", s.Observed, decided)
	check(admitted == s.Admitted(), "%d references were admitted, %d identities stand in a state", admitted, s.Admitted())
	check(s.Slots+s.Moved == s.Admitted(), "%d slots are spent and %d moved, for %d admitted identities", s.Slots, s.Moved, s.Admitted())
	check(s.Slots <= s.Limit.URLs, "%d slots are spent of %d", s.Slots, s.Limit.URLs)
	check(s.Bytes+s.Reserved <= s.Limit.Bytes, "%d bytes are spent and %d set aside, of %d", s.Bytes, s.Reserved, s.Limit.Bytes)
	check(w.rows == s.Results, "the counters have %d results, the walk found %d", s.Results, w.rows)
	check(w.records == s.Records, "the counters have %d records, the walk found %d", s.Records, w.records)
	return append(faults, endings(s, w)...)
}

// endings compares how URLs ended, by state and reason. A redirect whose chain
// came back to it is open again: its row stays until another replaces it. The
// counters fold rare reasons into "other", beyond a bound; there nothing is
// compared.
func endings(s frontier.Summary, w *walk) []string {
	counted := map[end]int64{}
	for _, t := range s.Ends {
		counted[end{t.State, t.Reason}] += t.Count
	}
	var faults []string
	for e, n := range w.ends {
		c := counted[e]
		if e.reason == frontier.ReasonRedirected {
			c += s.Unresolved()
		}
		if c < n && counted[end{e.state, "other"}] == 0 {
			faults = append(faults, fmt.Sprintf("%d URLs are %s {%s} by the counters, %d by the walk", c, e.state, e.reason, n))
		}
	}
	slices.Sort(faults)
	return faults
}

func terminal(s frontier.Summary) int64 {
	return s.Admitted() - s.Unresolved()
}
