package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

// A DamagedError means that a dataset, or its receipt, is not what Materialize has
// made. Page is the first page that differs, or -1 where it is none in particular.
// Remove the dataset and materialize it again.
type DamagedError struct {
	Page int
	What string
}

func (e *DamagedError) Error() string {
	if e.Page < 0 {
		return "ledger: damaged: " + e.What
	}
	return fmt.Sprintf("ledger: damaged: page %d: %s", e.Page, e.What)
}

// errEdited means that a receipt is not the one that was made.
var errEdited = &DamagedError{-1, "the receipt is not as it was sealed"}

// Verify reads the dataset of s back and proves that it is what r says: the same
// results in the same order, none more, none less. The error is *[DamagedError]
// where it is not, or where r itself was edited.
func (r Receipt) Verify(ctx context.Context, s Sink) error {
	if r.Seal != r.sealed().Seal {
		return errEdited
	}
	w := newWalk()
	if err := replay(ctx, w, consumed(r.Pages), s); err != nil {
		return err
	}
	switch {
	case w.digests.ids.sum() != r.IDs || w.digests.content.sum() != r.Digest:
		return &DamagedError{-1, "the pages are as the receipt says, and the whole is not"}
	case w.rows != r.Results || w.bytes != r.Bytes || w.duplicates != r.Duplicates || w.superseded != r.Superseded:
		return &DamagedError{-1, "the results are as the receipt says, and their counts are not"}
	}
	return nil
}

// sealed returns r with the digest of all the rest of it. A byte that is no UTF-8 is
// the character that it becomes once the receipt was kept.
func (r Receipt) sealed() Receipt {
	r.Seal = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic("ledger: a receipt is no JSON: " + err.Error()) // every field of it is
	}
	d := newDigest(domainSeal)
	d.bytes(bytes.ReplaceAll(text, []byte(`\ufffd`), []byte("\ufffd")))
	r.Seal = d.sum()
	return r
}

// replay takes the results of s into w again, page by page as lines have them.
func replay(ctx context.Context, w *walk, lines []PageReceipt, s Sink) error {
	next, stop := iter.Pull2(s.Results(ctx))
	defer stop()
	for _, line := range lines {
		page := Page{Next: line.Out, Generation: line.Generation}
		for range line.Results {
			r, err, more := next()
			if err != nil {
				return fmt.Errorf("ledger: page %d: %w", line.Ordinal, err)
			}
			if !more {
				return &DamagedError{line.Ordinal, fmt.Sprintf("the dataset ends after %d of %d results", len(page.Results), line.Results)}
			}
			page.Results = append(page.Results, r)
		}
		if err := differs(w.line(page), line); err != nil {
			return err
		}
		w.take(line, page.Results)
	}
	switch _, err, more := next(); {
	case err != nil:
		return fmt.Errorf("ledger: after the last page: %w", err)
	case more:
		return &DamagedError{-1, fmt.Sprintf("results follow the %d pages of the receipt", len(lines))}
	}
	return nil
}

// differs compares the line of what was read with the one of what was written.
func differs(read, written PageReceipt) error {
	written.Retries = 0
	switch {
	case read == written:
		return nil
	case read.IDs != written.IDs:
		return &DamagedError{written.Ordinal, "other identities, or in another order"}
	case read.Content != written.Content:
		return &DamagedError{written.Ordinal, "other contents"}
	}
	return &DamagedError{written.Ordinal, "it does not follow the page before"}
}
