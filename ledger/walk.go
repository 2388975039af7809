package ledger

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/weircrawl/weir/frontier"
)

// walk is what one pass over the pages of a source counts.
type walk struct {
	head *Page // the latest, without results: what it says that never changes; nil before the first
	said Said  // what the consumed pages say of the whole
	next Cursor
	done bool // the last page is consumed

	lines     []PageReceipt
	seen      *seen
	followed  *seen // cursors
	fruitless int   // pages in a row that lead on and brought nothing new
	faults    faults
	tail      tail

	rows, bytes, distinct, superseded, duplicates, truncated, records int64

	states  map[frontier.State]int64    // identities by the state of their last row, zero where it says none; of ours, of their first
	worse   map[[16]byte]frontier.State // what is neither done nor without a state, by identity; not of ours, whose rows say what they were
	ends    map[end]int64               // of the last row of each identity of ours
	digests digests
}

type end struct {
	state  frontier.State
	reason frontier.Reason
}

func newWalk() *walk {
	w := &walk{states: map[frontier.State]int64{}, worse: map[[16]byte]frontier.State{}, ends: map[end]int64{},
		seen: newSeen(), followed: newSeen(), digests: newDigests()}
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
		Results: len(p.Results), IDs: sums.ids.sum(), Content: sums.content.sum(), Said: p.said()}
}

// follows reports that cursor leads on from here: it is the end, or new.
func (w *walk) follows(cursor Cursor) bool {
	return cursor == "" || cursor != w.next && !w.followed.has(string(cursor))
}

// take consumes a page and its line. A row that replaces another is progress, too:
// of a job that is done again all are.
func (w *walk) take(line PageReceipt, results []Result) {
	before := w.distinct + w.superseded
	for _, r := range results {
		w.count(r)
	}
	switch {
	case w.distinct+w.superseded > before:
		w.fruitless = 0
	case line.Out != "":
		w.fruitless++
	}
	w.hear(line)
	w.lines = append(w.lines, line)
	w.next, w.done = line.Out, line.Out == ""
	if w.open() {
		w.next = line.In
		w.tail.add(results)
		return
	}
	w.tail = nil
	w.followed.hash(string(line.Out))
}

// hear notes what a page says of the whole, and whether that can be.
func (w *walk) hear(line PageReceipt) {
	if len(w.lines) == 0 {
		w.said = line.Said
		return
	}
	if how := w.said.otherwise(line.Said, line.Generation != ""); how != "" {
		w.faults.add(fmt.Sprintf("page %d%s %s", line.Ordinal, ofGeneration(line.Generation), how))
	}
	w.said = w.said.then(line.Said)
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
	switch {
	case w.head == nil:
	case w.head.Account != nil:
		w.row(r, fresh)
	case fresh || r.Supersedes:
		w.become(r, fresh)
	}
}

// become keeps states those of last rows, where r may replace another.
func (w *walk) become(r Result, fresh bool) {
	sound := r.State == 0 || r.State == frontier.Done
	if fresh && sound {
		return
	}
	id := short(r.ID)
	if !fresh {
		was, bad := w.worse[id]
		if !bad && w.states[frontier.Done] > 0 {
			was = frontier.Done
		}
		w.states[was]--
		w.states[r.State]++
		delete(w.worse, id)
	}
	if !sound {
		w.worse[id] = r.State
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
		w.faults.add(fmt.Sprintf("result %s is no row of a run: %v", clip(r.ID), err))
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

// walked are the states of the identities of a source that is not ours, as far as it
// says them.
func (w *walk) walked() map[frontier.State]int64 {
	states := maps.Clone(w.states)
	maps.DeleteFunc(states, func(s frontier.State, n int64) bool { return s == 0 || n == 0 })
	if len(states) == 0 || w.head.Account != nil {
		return nil
	}
	return states
}

// missing is how many identities should have a result and have none, as far as
// the source counts them.
func (w *walk) missing() int64 {
	want, ok := wanted(w.said.Counts, w.distinct > w.states[0])
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
