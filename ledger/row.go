package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/weircrawl/weir/frontier"
)

// encoded is the JSON of a result of ours: all of it, with its records inside.
type encoded struct {
	frontier.Result
	Records []record `json:"records,omitempty"`
}

// record is one thing that the handler has emitted.
type record struct {
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data,omitempty"`
	Raw  []byte          `json:"raw,omitempty"` // in place of Data that is no UTF-8
}

// resultOf makes a result of a row. Equal rows make equal bytes.
func resultOf(r frontier.Result) (Result, error) {
	out := encoded{Result: r}
	for _, rec := range r.Records {
		if utf8.Valid(rec.Data) {
			out.Records = append(out.Records, record{Kind: rec.Kind, Data: rec.Data})
		} else {
			out.Records = append(out.Records, record{Kind: rec.Kind, Raw: rec.Data})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return Result{}, fmt.Errorf("ledger: result %s: %w", r.Attempt, err)
	}
	return Result{ID: identity(r.ID), State: r.State, Supersedes: r.Supersedes != 0, Data: bytes.TrimSuffix(b.Bytes(), []byte("\n"))}, nil
}

// Row reads the Data of a result of ours.
func (r Result) Row() (frontier.Result, error) {
	var in encoded
	if err := json.Unmarshal(r.Data, &in); err != nil {
		return frontier.Result{}, fmt.Errorf("ledger: result %s is no row of a run: %w", r.ID, err)
	}
	out := in.Result
	for _, rec := range in.Records {
		data := []byte(rec.Data)
		if rec.Raw != nil {
			data = rec.Raw
		}
		out.Records = append(out.Records, frontier.Record{Kind: rec.Kind, Data: data})
	}
	if _, err := fmt.Sscanf(out.Attempt, "%d.%d.%x.%x.%d", &out.ID.Partition, &out.ID.Run, &out.ID.Origin, &out.ID.Ordinal, &out.ID.Generation); err != nil {
		return frontier.Result{}, fmt.Errorf("ledger: result %s: attempt %q: %w", r.ID, out.Attempt, err)
	}
	return out, nil
}
