package frontier

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/weircrawl/weir/internal/codec"
)

// An Audit is the record of one change that an operator has made: it is committed
// with the change.
type Audit struct {
	Sequence uint64          `json:"sequence"` // of the commit
	Time     time.Time       `json:"time"`
	Who      string          `json:"who"`
	What     Change          `json:"what"`
	Subject  string          `json:"subject"` // Subject.String
	Why      string          `json:"why"`
	Before   json.RawMessage `json:"before"` // what was in force, as JSON
	After    json.RawMessage `json:"after"`  // what is
}

// A Change is what an operator has done.
type Change string

// The changes of an Admin.
const (
	ChangePause  Change = "pause"
	ChangeResume Change = "resume"
	ChangePolicy Change = "set_policy"
	ChangeScope  Change = "set_scope"
	ChangeRaise  Change = "raise"
	ChangeCancel Change = "cancel"
	ChangeReopen Change = "reopen"
	ChangeOffer  Change = "offer"
)

// Audits yields every change that operators have made to the run, in order.
func (r *Reader) Audits(ctx context.Context) iter.Seq2[Audit, error] {
	return func(yield func(Audit, error) bool) {
		for row, err := range r.all(ctx, spaceAudit) {
			var a Audit
			if err == nil {
				a, err = decodeAudit(row[1])
			}
			if !yield(a, err) || err != nil {
				return
			}
		}
	}
}

func decodeAudit(v []byte) (Audit, error) {
	r := codec.NewReader(v, rowVersion)
	text := r.Bytes()
	if err := r.Close(); err != nil {
		return Audit{}, damaged(spaceAudit, err)
	}
	var a Audit
	return a, damaged(spaceAudit, json.Unmarshal(text, &a))
}

// audit notes a change in the commit that makes it.
func (t *tx) audit(a Audit, before, after any) error {
	var err error
	if a.Before, err = json.Marshal(before); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if a.After, err = json.Marshal(after); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	a.Sequence, a.Time = t.seq, stamp(t.now)
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	w := codec.NewWriter(rowVersion, nil)
	w.Bytes(text)
	t.put(spaceAudit, t.f.keys.chunk(t.seq, t.audits), w.Seal())
	t.audits++
	terms := t.f.head.contract
	terms.Audits++
	return t.rebind(terms, "audit")
}

// audits reads every audit row.
func (c *checker) audits(ctx context.Context) error {
	for a, err := range c.Audits(ctx) {
		if err != nil {
			return err
		}
		if a.Who == "" || a.Why == "" || a.What == "" || a.Sequence > c.head.seq {
			c.faults.add("audit of commit %d says too little: %+v", a.Sequence, a)
		}
	}
	return nil
}
