package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// Status is the observation ledger's one record: at most [MaxStatus] bytes as JSON,
// from one read, whatever the size of the crawl. What does not fit is counted in the
// rests.
type Status struct {
	Run       string          `json:"run"`
	Number    uint32          `json:"number"`
	Newer     bool            `json:"newer,omitempty"` // a later run has begun in the store
	Phase     frontier.Phase  `json:"phase"`
	Reason    frontier.Reason `json:"reason,omitempty"` // why it is in Phase
	Since     time.Time       `json:"since"`
	Heartbeat time.Time       `json:"heartbeat"` // of the last commit: an idle run makes one every 10 s
	Sequence  uint64          `json:"sequence"`  // of that commit

	Generation string `json:"generation,omitempty"` // of results, the newest; empty: none is frozen

	States   map[frontier.State]int64 `json:"states"` // of admitted URLs
	Paused   int64                    `json:"paused,omitempty"`
	Offers   int64                    `json:"offers,omitempty"` // sources still to be decided again
	Observed int64                    `json:"observed"`         // references decided
	Results  int64                    `json:"results"`
	Records  int64                    `json:"records"`
	Used     Used                     `json:"used"`
	Limit    frontier.Budget          `json:"limit"`

	Failures       []frontier.Tally        `json:"failures,omitempty"` // URLs that are failed or refused, by reason: the 8 most frequent
	FailuresRest   int64                   `json:"failures_rest,omitempty"`
	Suppressed     []frontier.Tally        `json:"suppressed,omitempty"` // references that a bound holds back, by bound: likewise
	SuppressedRest int64                   `json:"suppressed_rest,omitempty"`
	Patterns       []frontier.PatternTally `json:"patterns,omitempty"` // of those
	PatternsRest   int64                   `json:"patterns_rest,omitempty"`

	Queue    time.Duration     `json:"queue_ns"` // how long the oldest call of the last commit had waited for it
	Versions frontier.Versions `json:"versions"`
	Polls    Polls             `json:"polls"` // those before this one, of this process
}

// statusOf picks from a run's counters what its observers see.
func statusOf(s frontier.Summary, polls Polls) Status {
	st := Status{
		Run: s.Run, Number: s.Number, Newer: s.Newer, Phase: s.Phase, Reason: s.Reason, Since: s.Since, Heartbeat: s.Time, Sequence: s.Sequence,
		Generation: s.Generation, States: s.States, Paused: s.Paused, Offers: s.Offers,
		Observed: s.Observed, Results: s.Results, Records: s.Records,
		Used: usedOf(s), Limit: s.Limit,
		Patterns: s.Patterns, PatternsRest: s.PatternRest,
		Queue: s.Queue, Versions: s.Versions, Polls: polls,
	}
	st.Failures, st.FailuresRest = heaviest(s.Ends, func(t frontier.Tally) bool {
		return t.State == frontier.Failed || t.State == frontier.Refused
	})
	st.Suppressed, st.SuppressedRest = heaviest(s.Decided, func(t frontier.Tally) bool {
		return t.Decision == frontier.LimitReached || t.Decision == frontier.DeferredBudget
	})
	return st.fit()
}

// mostTallies is how many tallies of a kind a Status lists.
const mostTallies = 8

// heaviest returns the tallies that count most, and the count of the others.
func heaviest(all []frontier.Tally, of func(frontier.Tally) bool) ([]frontier.Tally, int64) {
	var list []frontier.Tally
	for _, t := range all {
		if of(t) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b frontier.Tally) int { return cmp.Compare(b.Count, a.Count) })
	rest := int64(0)
	for len(list) > mostTallies {
		rest += list[len(list)-1].Count
		list = list[:len(list)-1]
	}
	return list, rest
}

// fit makes st small enough: first the examples go, then the entries that count
// least.
func (st Status) fit() Status {
	st.Patterns = slices.Clone(st.Patterns)
	st.Run, st.Generation, st.Reason = brief(st.Run), brief(st.Generation), frontier.Reason(brief(string(st.Reason)))
	for _, version := range []*string{&st.Versions.Policy, &st.Versions.Normalizer, &st.Versions.Weir, &st.Versions.Engine, &st.Versions.Robots} {
		*version = brief(*version)
	}
	for _, shrink := range []func(*Status) bool{
		func(st *Status) bool {
			return dropExample(st.Patterns, func(t *frontier.PatternTally) *string { return &t.Example })
		},
		func(st *Status) bool {
			return dropExample(st.Suppressed, func(t *frontier.Tally) *string { return &t.Example })
		},
		func(st *Status) bool {
			return dropLast(&st.Patterns, &st.PatternsRest, func(t frontier.PatternTally) int64 { return t.Count })
		},
		func(st *Status) bool {
			return dropExample(st.Failures, func(t *frontier.Tally) *string { return &t.Example })
		},
		func(st *Status) bool {
			return dropLast(&st.Suppressed, &st.SuppressedRest, func(t frontier.Tally) int64 { return t.Count })
		},
		func(st *Status) bool {
			return dropLast(&st.Failures, &st.FailuresRest, func(t frontier.Tally) int64 { return t.Count })
		},
	} {
		for st.size() > MaxStatus && shrink(&st) {
		}
	}
	return st
}

// size is that of st as JSON.
func (st Status) size() int {
	b, err := json.Marshal(st)
	if err != nil {
		return MaxStatus + 1
	}
	return len(b)
}

// maxBrief is how many bytes a name or a version has in a Status, as JSON.
const maxBrief = 200

// brief cuts a name: the run's head has it whole.
func brief(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), maxBrief)], "\uFFFD")
	for {
		if b, _ := json.Marshal(name); len(b) <= maxBrief+2 { // a string cannot fail
			return name
		}
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
}

// dropExample takes the last example away. It reports whether there was one.
func dropExample[T any](list []T, example func(*T) *string) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if e := example(&list[i]); *e != "" {
			*e = ""
			return true
		}
	}
	return false
}

// dropLast folds the last entry into the rest. It reports whether there was one.
func dropLast[T any](list *[]T, rest *int64, count func(T) int64) bool {
	n := len(*list)
	if n == 0 {
		return false
	}
	*rest += count((*list)[n-1])
	*list = (*list)[:n-1]
	return true
}

// String prints the status for people: one fact a line.
func (st Status) String() string {
	var b strings.Builder
	line, flush := table(&b)
	line("run\t%s: %s since %s", cmp.Or(st.Run, fmt.Sprint(st.Number)), reasoned(st.Phase.String(), st.Reason), st.Since.Format(time.RFC3339))
	if st.Newer {
		line("newer\ta later run has begun: this is not the newest")
	}
	line("heartbeat\t%s, queue %s", st.Heartbeat.Format(time.RFC3339), st.Queue.Round(time.Millisecond))
	line("generation\t%s", cmp.Or(st.Generation, "none is frozen"))
	line("budget\t%d of %d URLs, %s of %s, %s of %s", st.Used.URLs, st.Limit.URLs, size(st.Used.Bytes), size(st.Limit.Bytes),
		st.Used.Wall.Round(time.Millisecond), st.Limit.Wall)
	for _, s := range frontier.States {
		if n := st.States[s]; n > 0 {
			line("  %s\t%d", s, n)
		}
	}
	section(line, "", st.Failures)
	others(line, "other failures", st.FailuresRest)
	section(line, "", st.Suppressed)
	others(line, "other bounds", st.SuppressedRest)
	for _, p := range st.Patterns {
		line("    of these {%s}\t%d\tlike %s", p.Reason, p.Count, p.Pattern)
	}
	others(line, "  of these, other patterns", st.PatternsRest)
	line("versions\t%s", versionsOf(st.Versions))
	line("polls\t%d, %s, %s, %s of results, slowest %s", st.Polls.Count, count(st.Polls.Reads+st.Polls.Requests, "read"),
		size(st.Polls.Bytes), count(st.Polls.Rows, "row"), st.Polls.Slowest.Round(time.Microsecond))
	for _, fault := range st.Polls.Faults() {
		line("fault\t%s", fault)
	}
	flush()
	return b.String()
}

// versionsOf lists the versions that are known.
func versionsOf(v frontier.Versions) string {
	var known []string
	for _, part := range [][2]string{{"weir", v.Weir}, {"engine", v.Engine}, {"policy", v.Policy}, {"normalizer", v.Normalizer}, {"robots", v.Robots}} {
		if part[1] != "" {
			known = append(known, part[0]+" "+part[1])
		}
	}
	return strings.Join(append(known, fmt.Sprintf("store %d", v.Store)), ", ")
}

func others(line func(string, ...any), title string, n int64) {
	if n > 0 {
		line("  %s\t%d", title, n)
	}
}

// A Watch observes one run, also after a later one has begun, which its Status says:
// each is one read of its store, measured. It is
// safe for concurrent use, also from another process than the run's where the store
// allows that.
type Watch struct {
	reader   *frontier.Reader
	observer Observer
}

// NewWatch finds a run by name, the newest if run is empty. trace, if not nil, is
// called for each poll that breaks a bound of observation. It answers
// frontier.ErrNoRun.
func NewWatch(ctx context.Context, s storage.Store, run string, trace func(Poll)) (*Watch, error) {
	reader, err := frontier.NewReader(ctx, Metered(s), run)
	if err != nil {
		return nil, err
	}
	w := &Watch{reader: reader}
	w.observer.Trace = trace
	return w, nil
}

// Status polls once.
func (w *Watch) Status(ctx context.Context) (Status, error) {
	var st Status
	_, err := w.observer.observe(ctx, func(ctx context.Context) (Observation, error) {
		s, err := w.reader.Summary(ctx)
		if err != nil {
			return Observation{}, err
		}
		st = statusOf(s, w.observer.Polls())
		return Observation{Phase: st.Phase, Generation: st.Generation, Size: st.size()}, nil
	})
	if err != nil {
		return Status{}, fmt.Errorf("ledger: status: %w", err)
	}
	return st, nil
}

// Observe measures a poll of the run that the caller makes: what it reads of a store
// under [Metered], or requests over [MeteredTransport], under the context that it is
// given. It counts, and alerts, as a Status does.
func (w *Watch) Observe(ctx context.Context, poll func(context.Context) (Observation, error)) (Poll, error) {
	return w.observer.observe(ctx, poll)
}

// Polls is what the polls of w have cost.
func (w *Watch) Polls() Polls { return w.observer.Polls() }
