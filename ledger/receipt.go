package ledger

import (
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// A Receipt accounts for one dataset: what the job behind it has admitted and what
// became of it, as of one commit, and each page of the walk over its results. It
// is a value: it reads nothing, and it never changes; a later run or walk has a
// receipt of its own.
//
// [Reconcile] and [Materialize] make the same receipt, the one of a walk that keeps
// nothing. Of a job that is not a run of ours the fields from Admitted to Limit say
// nothing; Expected has what its source counts.
type Receipt struct {
	Run      string          `json:"run,omitempty"`
	Number   uint32          `json:"number,omitempty"`
	Phase    frontier.Phase  `json:"phase"`            // of the job
	Reason   frontier.Reason `json:"reason,omitempty"` // why it is in Phase
	Began    time.Time       `json:"began,omitzero"`
	Ended    time.Time       `json:"ended,omitzero"`     // since when it is in Phase
	Sequence uint64          `json:"sequence,omitempty"` // of the commit it is true of

	Generation string    `json:"generation"`      // what was walked; empty where nothing was frozen
	Frozen     time.Time `json:"frozen,omitzero"` // when
	Ordered    bool      `json:"ordered"`         // the order was total and unique

	Rekeyed *frontier.Rekeyed `json:"rekeyed,omitempty"` // what the Rekey that began the run came to; nil: none did

	Verdict Verdict  `json:"verdict"`
	Why     string   `json:"why"`
	Faults  []string `json:"faults,omitempty"` // what does not reconcile: the budget's before the walk's; the first 8, and a count of any more
	Polls   []string `json:"polls,omitempty"`  // bounds of observation that a poll has broken

	Admitted   int64                    `json:"admitted"`             // identities; slots spent and slots that a redirect has handed on
	Counts     map[frontier.State]int64 `json:"counts,omitempty"`     // of admitted identities
	Reasons    []frontier.Tally         `json:"reasons,omitempty"`    // of the terminal ones, by state and reason
	Unresolved []frontier.Tally         `json:"unresolved,omitempty"` // the others, by state and reason
	Truncated  int64                    `json:"truncated"`            // of the done ones: the body is cut

	Observed     int64                       `json:"observed"` // references decided
	Dispositions map[frontier.Decision]int64 `json:"dispositions,omitempty"`
	Decided      []frontier.Tally            `json:"decided,omitempty"` // the same, by decision and reason
	Stops        []frontier.Tally            `json:"stops,omitempty"`   // bounds that held work back

	Used  Used            `json:"used"`
	Limit frontier.Budget `json:"limit"`

	Expected   Counts `json:"expected"`   // what the source says of its identities
	Results    int64  `json:"results"`    // rows walked
	Bytes      int64  `json:"bytes"`      // of their IDs and data
	Superseded int64  `json:"superseded"` // of them, rows that replace an earlier one of their identity
	Duplicates int64  `json:"duplicates"` // rows of an identity that has one

	Walked map[frontier.State]int64 `json:"walked,omitempty"` // identities by the state that their last row says; not of ours: Counts

	Missing int64          `json:"missing"` // identities that should have a row and have none; known at the end of a walk
	Records int64          `json:"records"`
	IDs     storage.Digest `json:"ids"`    // of the identities of all rows, in order, however they are cut into pages
	Digest  storage.Digest `json:"digest"` // of identity and content, likewise

	Pages  []PageReceipt `json:"pages,omitempty"`   // in order; those consumed, and the one that ended the walk early
	Next   Cursor        `json:"next,omitempty"`    // the first that was not consumed; empty at the start and at the end
	CutOff CutOff        `json:"cut_off,omitempty"` // what ended the walk before its end

	Seal storage.Digest `json:"seal"` // of all the rest, so that an edited receipt is found
}

// A PageReceipt is the line of one page.
type PageReceipt struct {
	Ordinal    int            `json:"ordinal"`              // from 0
	Generation string         `json:"generation,omitempty"` // of the page
	In         Cursor         `json:"in,omitempty"`
	Out        Cursor         `json:"out,omitempty"`
	Consumed   bool           `json:"consumed"` // its results are in the dataset
	Results    int            `json:"results"`
	IDs        storage.Digest `json:"ids,omitempty"`     // of the identities, in order
	Content    storage.Digest `json:"content,omitempty"` // of identities and contents, in order
	Said       Said           `json:"said,omitzero"`     // of the whole
	Retries    int            `json:"retries,omitempty"`
	Error      CutOff         `json:"error,omitempty"`  // class of what ended the walk here
	Detail     string         `json:"detail,omitempty"` // what it said; at most 256 bytes
}

// CutOff is the class of what ends a walk before its end.
type CutOff string

const (
	CutPages   CutOff = "pages"   // bounds of the Export
	CutResults CutOff = "results" //
	CutBytes   CutOff = "bytes"   //
	CutTime    CutOff = "time"    //
	CutContext CutOff = "context" // the caller has ended it

	PageFailed        CutOff = "page_failed"        // it could not be had, however often it was asked for
	InvalidPage       CutOff = "invalid_page"       // it is not what was asked for, or what a page may be
	Refused           CutOff = "refused"            // the source does not give it
	CursorInvalid     CutOff = "cursor"             // the source knows nothing of the cursor
	CursorLoop        CutOff = "cursor_loop"        // it leads back to a cursor that was followed before, or to nothing new
	GenerationChanged CutOff = "generation_changed" // it is of another generation than those before
	Unreadable        CutOff = "unreadable"         // what was kept is damaged
)

// Used is what of a run's Limit is spent, and what has no limit of its own.
type Used struct {
	URLs     int64         `json:"urls"` // slots; one that is spent is never returned
	Origins  int64         `json:"origins"`
	Bytes    int64         `json:"bytes"`    // decoded; of a lease that a crash lost, all that was set aside for it
	Wall     time.Duration `json:"wall"`     // active time; in nanoseconds, as in Limit
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
		Used: usedOf(s), Limit: s.Limit,
	}
	return r
}

func usedOf(s frontier.Summary) Used {
	return Used{URLs: s.Slots, Origins: s.Origins, Bytes: s.Bytes, Wall: s.Active,
		Requests: s.Requests, Late: s.Late, Conflict: s.Conflict}
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
