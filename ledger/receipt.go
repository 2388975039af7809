package ledger

import (
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// A Receipt accounts for everything that a run has admitted, as of one commit.
// It is a value: it reads nothing, and printing it costs the same whatever the
// run's size.
type Receipt struct {
	Run      string          `json:"run"`
	Number   uint32          `json:"number"`
	Phase    frontier.Phase  `json:"phase"`
	Reason   frontier.Reason `json:"reason,omitempty"` // why it is in Phase
	Began    time.Time       `json:"began"`
	Ended    time.Time       `json:"ended"`    // since when it is in Phase
	Sequence uint64          `json:"sequence"` // of the commit it is true of

	Generation string    `json:"generation"`      // what was walked; empty where nothing was frozen
	Frozen     time.Time `json:"frozen,omitzero"` // when

	Rekeyed *frontier.Rekeyed `json:"rekeyed,omitempty"` // what the Rekey that began the run came to; nil: none did

	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why"`
	Faults  []string `json:"faults,omitempty"` // what does not reconcile

	Admitted   int64                    `json:"admitted"`             // identities; slots spent and slots that a redirect has handed on
	Counts     map[frontier.State]int64 `json:"counts"`               // of admitted identities
	Reasons    []frontier.Tally         `json:"reasons"`              // of the terminal ones, by state and reason
	Unresolved []frontier.Tally         `json:"unresolved,omitempty"` // the others, by state and reason
	Truncated  int64                    `json:"truncated"`            // of the done ones: the body is cut

	Observed     int64                       `json:"observed"` // references decided
	Dispositions map[frontier.Decision]int64 `json:"dispositions"`
	Decided      []frontier.Tally            `json:"decided"`         // the same, by decision and reason
	Stops        []frontier.Tally            `json:"stops,omitempty"` // bounds that held work back

	Used  Used            `json:"used"`
	Limit frontier.Budget `json:"limit"`

	Results    int64          `json:"results"`    // rows walked
	Superseded int64          `json:"superseded"` // of them, rows of a redirect whose URL was opened again
	Duplicates int64          `json:"duplicates"`
	Missing    int64          `json:"missing"` // terminal identities without a row
	Records    int64          `json:"records"`
	Digest     storage.Digest `json:"digest"` // of identity and content of all rows, in order

	Expected Counts        `json:"expected"`          // what the source says of its identities
	Pages    []PageReceipt `json:"pages,omitempty"`   // in order
	Next     Cursor        `json:"next,omitempty"`    // the first that was not consumed; empty: all are
	CutOff   string        `json:"cut_off,omitempty"` // what ended the walk before the last page: "pages", "results", "bytes", "time", "page_failed", "refused", "cursor_loop", "context"
}

// A PageReceipt is the line of one page.
type PageReceipt struct {
	Ordinal  int            `json:"ordinal"` // from 0
	In       Cursor         `json:"in,omitempty"`
	Out      Cursor         `json:"out,omitempty"`
	Consumed bool           `json:"consumed"` // its results are in the dataset
	Results  int            `json:"results"`
	IDs      storage.Digest `json:"ids"`     // of the identities, in order
	Content  storage.Digest `json:"content"` // of identities and contents, in order
	Retries  int            `json:"retries,omitempty"`
	Error    string         `json:"error,omitempty"` // class of what ended it: "page_failed", "cursor_loop", "refused"
}

// Used is what of a run's Limit is spent, and what has no limit of its own.
type Used struct {
	URLs     int64         `json:"urls"` // slots; one that is spent is never returned
	Origins  int64         `json:"origins"`
	Bytes    int64         `json:"bytes"`    // decoded; of a lease that a crash lost, all that was set aside for it
	Wall     time.Duration `json:"wall"`     // active time
	Requests int64         `json:"requests"` // attempts granted, gates among them
	Late     int64         `json:"late"`     // reports that came after another owner had the URL
	Conflict int64         `json:"conflicts"`
}

// Publishable reports whether the results may be passed on as a whole.
func (r Receipt) Publishable() bool { return r.Verdict.Publishable() }

// of begins a receipt with what the counters of s say.
func of(s frontier.Summary) Receipt {
	r := Receipt{
		Run: s.Run, Number: s.Number, Phase: s.Phase, Reason: s.Reason,
		Began: s.Began, Ended: s.Since, Sequence: s.Sequence,
		Admitted: s.Admitted(), Counts: s.States, Reasons: s.Ends, Unresolved: unresolved(s),
		Observed: s.Observed, Dispositions: dispositions(s.Decided), Decided: s.Decided, Stops: s.Stops,
		Used: Used{URLs: s.Slots, Origins: s.Origins, Bytes: s.Bytes, Wall: s.Active,
			Requests: s.Requests, Late: s.Late, Conflict: s.Conflict},
		Limit: s.Limit,
	}
	return r
}

// unresolved lists what is not terminal, by state and by what holds it.
func unresolved(s frontier.Summary) []frontier.Tally {
	var list []frontier.Tally
	add := func(state frontier.State, why frontier.Reason, n int64) {
		if n > 0 {
			list = append(list, frontier.Tally{State: state, Reason: why, Count: n})
		}
	}
	paused := min(s.Paused, s.States[frontier.Queued])
	add(frontier.Queued, s.Reason, s.States[frontier.Queued]-paused)
	add(frontier.Queued, "paused", paused)
	add(frontier.Leased, s.Reason, s.States[frontier.Leased])
	add(frontier.Waiting, "paused", s.Paused-paused)
	add(frontier.Waiting, frontier.ReasonRetry, s.States[frontier.Waiting]-(s.Paused-paused))
	return list
}

func dispositions(decided []frontier.Tally) map[frontier.Decision]int64 {
	sums := map[frontier.Decision]int64{}
	for _, t := range decided {
		sums[t.Decision] += t.Count
	}
	return sums
}
