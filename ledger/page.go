package ledger

import (
	"iter"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// pageOf takes one page of rows, up to and with the position last and most rows at
// the outside. It returns the position of the first row that it leaves, 0 for none.
func pageOf(rows iter.Seq2[frontier.Result, error], r PageRequest, last uint64, most int64) ([]Result, uint64, error) {
	var page []Result
	var bytes int64
	began := time.Now()
	for row, err := range rows {
		if err != nil {
			return nil, 0, err
		}
		if row.Position > last || int64(len(page)) >= most {
			break
		}
		if len(page) > 0 && (len(page) >= r.Records || time.Since(began) >= r.Time) {
			return page, row.Position, nil
		}
		result, err := resultOf(row)
		if err != nil {
			return nil, 0, err
		}
		if bytes += result.size(); len(page) > 0 && bytes > r.Bytes {
			return page, row.Position, nil
		}
		page = append(page, result)
	}
	return page, 0, nil
}

// pageFor is what each page of a run's results says of the whole.
func pageFor(s *frontier.Summary) Page {
	return Page{Ordered: true, Phase: s.Phase, Ended: s.Since, Counts: countsOf(*s), Account: s}
}

// countsOf says in the words of any source what a run counts.
func countsOf(s frontier.Summary) Counts {
	return Counts{Expected: s.Admitted(), Succeeded: s.States[frontier.Done], Failed: s.States[frontier.Failed],
		Stopped: s.States[frontier.Refused], Skipped: s.States[frontier.Cancelled], Unresolved: s.Unresolved()}
}
