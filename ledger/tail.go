package ledger

import (
	"slices"

	"github.com/weircrawl/weir/storage"
)

// A tail is the results of an open end: the last page of a job that went on and that
// nothing has frozen. More may follow them by now, so that the page is asked for
// again, and brings them once more.
type tail map[storage.Digest]int64 // by content; the size of each

func (t *tail) add(results []Result) {
	if *t == nil {
		*t = tail{}
	}
	for _, r := range results {
		(*t)[sumOf(r)] = r.size()
	}
}

func sumOf(r Result) storage.Digest {
	d := newDigest(domainContent)
	d.content(r)
	return d.sum()
}

// bytes is the size of all of t.
func (t tail) bytes() (n int64) {
	for _, size := range t {
		n += size
	}
	return n
}

// cut returns results without those of t. It reports how many of t are not among
// them.
func (t tail) cut(results []Result) ([]Result, int) {
	if len(t) == 0 {
		return results, 0
	}
	found := map[storage.Digest]bool{}
	rest := slices.DeleteFunc(results, func(r Result) bool {
		sum := sumOf(r)
		if _, ok := t[sum]; !ok || found[sum] {
			return false
		}
		found[sum] = true
		return true
	})
	return rest, len(t) - len(found)
}

// open reports that the walk has come to an end that is none: a job that goes on, and
// that no generation has frozen, may have more results by now.
func (w *walk) open() bool {
	return w.done && w.lines[len(w.lines)-1].Generation == "" && !w.said.Phase.Terminal()
}

// stands reports that line, of an open end that was asked for again, says nothing
// new.
func (w *walk) stands(line PageReceipt) bool {
	if len(w.lines) == 0 || line.Results > 0 || line.Out != "" {
		return false
	}
	last := w.lines[len(w.lines)-1]
	return last.Out == "" && last.In == line.In && last.Said == line.Said
}
