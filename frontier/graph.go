package frontier

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"github.com/weircrawl/weir/internal/sheet"
	"github.com/weircrawl/weir/storage"
)

// An Edge is one reference of the link graph, with the decision that is in force.
type Edge struct {
	From     string    `json:"from,omitempty"` // the URL that holds it; empty where no page does
	To       string    `json:"to,omitempty"`   // the URL that it leads to; empty where the normalizer rejected it
	Source   Source    `json:"source"`
	Rule     string    `json:"rule"`     // what found it: "a", "link[rel=next]"
	Observed string    `json:"observed"` // as written
	Depth    int       `json:"depth"`    // links followed from a seed
	Decision Decision  `json:"decision"`
	Reason   Reason    `json:"reason"`
	Time     time.Time `json:"time"` // of the decision
}

// Graph yields every reference of the run once, in the order of their decisions:
// what was decided again stands where it was decided last. References beyond the
// bound of a page are not in it: nobody has kept them. It takes the memory of one
// page.
func (r *Reader) Graph(ctx context.Context) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for e, err := range r.allEdges(ctx) {
			var all []Admission
			if err == nil {
				all, err = r.inForce(ctx, e)
			}
			if err != nil {
				yield(Edge{}, err)
				return
			}
			for _, a := range all {
				if a.Claim.Offset == offsetBeyond {
					continue
				}
				source := a.Source
				if source == Offer {
					source = e.source.named()
				}
				if !yield(Edge{From: a.Parent, To: a.URL, Source: source, Rule: a.Reference.Rule, Observed: a.Reference.Observed,
					Depth: a.Depth, Decision: a.Decision, Reason: a.Reason, Time: a.Time}, nil) {
					return
				}
			}
		}
	}
}

// inForce makes the records of one edge row that no later decision replaces.
func (r *Reader) inForce(ctx context.Context, e edgeAt) ([]Admission, error) {
	all, err := r.decisions(ctx, e)
	if err != nil || !e.heldBack() {
		return all, err
	}
	got, err := r.store.Read(ctx, storage.ReadRequest{Space: spaceMoved, Keys: [][]byte{e.key}})
	if err != nil {
		return nil, fmt.Errorf("frontier: read moved lines: %w", err)
	}
	moved, err := decodeMoved(got[0].Values[0])
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for i, a := range all {
		if !moved.has(i) {
			kept = append(kept, a)
		}
	}
	return kept, nil
}

// heldBack reports whether a bound holds back a line of e: such a line alone is
// replaced by a later decision.
func (e *edgeRow) heldBack() bool {
	for i := range e.lines {
		if e.lines[i].decision == LimitReached || e.lines[i].decision == DeferredBudget {
			return true
		}
	}
	return false
}

// A GraphFormat is a way to write a link graph.
type GraphFormat string

// The formats of a link graph.
const (
	GraphJSONL GraphFormat = "jsonl" // one Edge a line
	GraphCSV   GraphFormat = "csv"   // one Edge a line, after a line of names; its texts are quoted as those of ledger.CSV
)

// WriteGraph writes the link graph.
func (r *Reader) WriteGraph(ctx context.Context, w io.Writer, format GraphFormat) error {
	var write func(Edge) error
	table := csv.NewWriter(w)
	switch format {
	case GraphJSONL:
		lines := json.NewEncoder(w)
		lines.SetEscapeHTML(false)
		write = func(e Edge) error { return lines.Encode(e) }
	case GraphCSV:
		if err := table.Write([]string{"from", "to", "source", "rule", "observed", "depth", "decision", "reason", "time"}); err != nil {
			return fmt.Errorf("write graph: %w", err)
		}
		write = func(e Edge) error { return table.Write(e.row()) }
	default:
		return fmt.Errorf("frontier: no graph format %q; use %q or %q", format, GraphJSONL, GraphCSV)
	}
	for e, err := range r.Graph(ctx) {
		if err == nil {
			err = write(e)
		}
		if err != nil {
			return fmt.Errorf("write graph: %w", err)
		}
	}
	table.Flush()
	return table.Error()
}

func (e Edge) row() []string {
	return []string{sheet.Text(e.From), sheet.Text(e.To), e.Source.String(), sheet.Text(e.Rule), sheet.Text(e.Observed),
		strconv.Itoa(e.Depth), e.Decision.String(), sheet.Text(string(e.Reason)), e.Time.Format(time.RFC3339Nano)}
}
