package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/weircrawl/weir/frontier"
)

// edited says that a receipt is not the one that was made.
func edited(what string) error {
	return &DamagedError{Page: -1, What: "the receipt: " + what}
}

// Verify reads the dataset of s back and proves that it is what r says: the same
// results in the same order, none more, none less. Of what a [File] has published
// it proves the bytes, too: not one was added, removed or changed. The error is
// *[DamagedError], and wraps [ErrDamaged], wherever it is not so, also where r
// itself was edited; any other error means that it could not be read.
func (r Receipt) Verify(ctx context.Context, s Sink) error {
	if err := r.intact(); err != nil {
		return err
	}
	w := newWalk()
	if r.Run != "" {
		w.head = &Page{Account: &frontier.Summary{}} // the rows are ours: they are read
	}
	if err := replay(ctx, w, consumed(r.Pages), s); err != nil {
		return err
	}
	return r.counts(w)
}

// intact proves what can be known of r without its dataset.
func (r Receipt) intact() error {
	if wrong := r.wrong(); wrong != "" {
		return edited(wrong)
	}
	return nil
}

// wrong says what cannot be in a receipt that nobody has edited.
func (r Receipt) wrong() string {
	if r.Seal != r.sealed().Seal {
		return "it is not as it was sealed"
	}
	if v, _ := verdict(r.facts()); v != r.Verdict {
		return fmt.Sprintf("it says %s, and what stands in it is %s", r.Verdict, v)
	}
	return ""
}

// counts compares what r says of the whole with a walk over it.
func (r Receipt) counts(w *walk) error {
	switch {
	case w.digests.ids.sum() != r.IDs || w.digests.content.sum() != r.Digest:
		return edited("its pages are those of the dataset, and its digests are not")
	case w.rows != r.Results || w.bytes != r.Bytes || w.duplicates != r.Duplicates || w.superseded != r.Superseded,
		w.records != r.Records || w.truncated != r.Truncated:
		return edited("its pages are those of the dataset, and its counts are not")
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
				return damagedAt(ctx, line.Ordinal, err)
			}
			if !more {
				return differsAt(line, fmt.Sprintf("the dataset ends after %d of its %d results", len(page.Results), line.Results))
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
		return damagedAt(ctx, len(lines), err)
	case more:
		return &DamagedError{Page: -1, What: fmt.Sprintf("results follow the %d pages of the receipt", len(lines))}
	}
	return nil
}

// differs compares the line of what was read with the one of what was written.
func differs(read, written PageReceipt) error {
	written.Retries, written.Said = 0, Said{}
	switch {
	case read == written:
		return nil
	case read.IDs != written.IDs:
		return differsAt(written, "other identities, or in another order")
	case read.Content != written.Content:
		return differsAt(written, "other contents")
	}
	return differsAt(written, "it does not follow the page before")
}

func differsAt(line PageReceipt, what string) error {
	return &DamagedError{Page: line.Ordinal, What: what}
}
