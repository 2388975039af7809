package ledger

import (
	"encoding/json"
	"fmt"

	"github.com/weircrawl/weir/frontier"
)

// walk is what one pass over the pages of a source counts.
type walk struct {
	head *Page // what the source says of the whole, without results; nil before the first page
	next Cursor
	done bool // the last page is consumed

	lines     []PageReceipt
	seen      *seen
	followed  *seen // cursors
	fruitless int   // pages in a row that brought nothing new
	faults    []string

	rows, bytes, distinct, superseded, duplicates, truncated, records int64

	states  map[frontier.State]int64 // of the first row of each identity; zero where it says none
	ends    map[end]int64            // of the last row of each identity of ours
	digests digests
}

type end struct {
	state  frontier.State
	reason frontier.Reason
}

func newWalk() *walk {
	w := &walk{states: map[frontier.State]int64{}, ends: map[end]int64{}, seen: newSeen(), followed: newSeen(), digests: newDigests()}
	w.followed.hash("")
	return w
}

// maxFruitless is how many pages in a row may bring no new identity.
const maxFruitless = 100

// line describes a page that answers the walk's next request.
func (w *walk) line(p Page) PageReceipt {
	sums := newDigests()
	for _, r := range p.Results {
		sums.add(r)
	}
	return PageReceipt{Ordinal: len(w.lines), Generation: p.Generation, In: w.next, Out: p.Next, Consumed: true,
		Results: len(p.Results), IDs: sums.ids.sum(), Content: sums.content.sum()}
}

// follows reports that cursor leads on from here: it is the end, or new.
func (w *walk) follows(cursor Cursor) bool {
	return cursor == "" || cursor != w.next && !w.followed.has(string(cursor))
}

// take consumes a page and its line.
func (w *walk) take(line PageReceipt, results []Result) {
	before := w.distinct
	for _, r := range results {
		w.count(r)
	}
	if w.distinct > before {
		w.fruitless = 0
	} else {
		w.fruitless++
	}
	w.lines = append(w.lines, line)
	w.next, w.done = line.Out, line.Out == ""
	if !w.done {
		w.followed.hash(string(line.Out))
	}
}

// count counts one result. A second one of an identity is a duplicate, unless it
// says that it replaces the first.
func (w *walk) count(r Result) {
	w.rows++
	w.bytes += r.size()
	w.digests.add(r)
	fresh := w.seen.add(r.ID)
	switch {
	case fresh:
		w.distinct++
		w.states[r.State]++
	case r.Supersedes:
		w.superseded++
	default:
		w.duplicates++
	}
	if w.head != nil && w.head.Account != nil {
		w.row(r, fresh)
	}
}

// row counts a result of ours by how its URL ended, and by what it carries.
func (w *walk) row(r Result, fresh bool) {
	var row struct {
		State   frontier.State   `json:"state"`
		Outcome frontier.Outcome `json:"outcome"`
		Reason  frontier.Reason  `json:"reason"`
		Was     frontier.State   `json:"was"`
		WasFor  frontier.Reason  `json:"was_for"`
		Records []struct{}       `json:"records"`
	}
	if err := json.Unmarshal(r.Data, &row); err != nil {
		w.faults = append(w.faults, fmt.Sprintf("result %s is no row of a run: %v", r.ID, err))
		return
	}
	w.records += int64(len(row.Records))
	if !fresh && !r.Supersedes {
		return
	}
	if !fresh {
		w.ends[end{row.Was, row.WasFor.Word()}]--
	}
	w.ends[end{row.State, row.Reason.Word()}]++
	if row.Outcome == frontier.OutcomeTruncated {
		w.truncated++
	}
}

// missing is how many identities should have a result and have none, as far as
// the source counts them.
func (w *walk) missing() int64 {
	want, ok := wanted(w.head.Counts, w.distinct > w.states[0])
	if !ok {
		return 0
	}
	return max(0, want-(w.distinct-w.states[frontier.Cancelled]))
}

// wanted is how many identities must have a result: all but those that are
// unresolved or cancelled, which are counts alone; of a source whose results say no
// state, those that succeeded.
func wanted(c Counts, stated bool) (int64, bool) {
	known := func(n int64) int64 { return max(0, n) }
	switch {
	case !stated && c.Succeeded >= 0:
		return c.Succeeded, true
	case c.Expected < 0:
		return known(c.Succeeded), c.Succeeded >= 0
	case stated:
		return c.Expected - known(c.Unresolved) - known(c.Skipped), true
	}
	return c.Expected - known(c.Unresolved) - known(c.Skipped) - known(c.Failed) - known(c.Stopped), true
}
