package frontier

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// completing is a completion made ready for the writer: bounded, resolved and
// hashed.
type completing struct {
	Completion
	hash       [16]byte
	candidates []candidate
	target     []candidate // of a redirect: one
	size       int         // bytes that its rows may take
	answer     Answer
}

// maxKind is the length of a record's kind.
const maxKind = 256

// maxDetail is the length of one line for people.
const maxDetail = 256

// prepare bounds, resolves and hashes c outside the writer.
func (f *Frontier) prepare(ctx context.Context, c Completion) (*completing, error) {
	if c.Outcome == NoOutcome || int(c.Outcome) >= len(outcomeNames) {
		return nil, fmt.Errorf("complete %s: no outcome; use the lease's methods to make a completion", c.Lease.URL)
	}
	if c.Lease.Gate != (c.Lease.ID.Ordinal == 0) || !c.Lease.Gate && (c.Outcome == OutcomeOpen || c.Outcome == OutcomeEnded) {
		return nil, fmt.Errorf("complete %s: only a gate can be opened or ended", c.Lease.URL)
	}
	if len(c.Note) > maxNote {
		return nil, fmt.Errorf("complete gate %s: the note has %d bytes; %d are allowed", c.Lease.Origin, len(c.Note), maxNote)
	}
	c.Reason = cleanReason(c.Reason)
	if c.Reason == "" {
		c.Reason = Reason(c.Outcome.String())
	}
	c.Evidence = c.Evidence.bounded()
	budget := f.limit.Load()
	for _, r := range c.Records {
		if !json.Valid(r.Data) {
			return nil, fmt.Errorf("complete %s: record %q is not JSON", c.Lease.URL, r.Kind)
		}
	}
	if err := boundRecords(c, budget); err != nil {
		return nil, err
	}
	c.References, c.Overflow = boundReferences(c.References, c.Overflow, budget)
	c.Overflow.Example = hiddenExample(f.cfg.Normalizer, c.Lease.URL, c.Overflow.Example)
	p := &completing{Completion: c}
	var err error
	if p.candidates, err = candidates(ctx, f.cfg.Normalizer, c.Lease.URL, c.References); err != nil {
		return nil, err
	}
	if c.Outcome == OutcomeRedirected {
		p.target, err = candidates(ctx, f.cfg.Normalizer, c.Lease.URL, []Reference{{Observed: c.Target, Rule: ruleRedirect, Hint: c.Lease.Hint}})
		if err != nil {
			return nil, err
		}
		p.Target = p.target[0].ref.Observed
	}
	p.hash, p.size = digestOf(&c), sizeOf(&c)+weightOf(p.candidates)
	return p, nil
}

// maxValidator is the length of an ETag or a date that is kept; a longer one
// would be of no use cut.
const maxValidator = 1 * kib

// bounded is e with what a site writes cut to what one row can hold.
func (e Evidence) bounded() Evidence {
	e.Bytes, e.Latency = max(e.Bytes, 0), max(e.Latency, 0)
	e.Detail, e.Parser, e.Truncated = clipText(e.Detail, maxDetail), clipText(e.Parser, maxDetail), clipText(e.Truncated, maxReason)
	for _, v := range []*string{&e.ETag, &e.LastModified} {
		if len(*v) > maxValidator {
			*v = ""
		}
	}
	return e
}

// boundRecords refuses what a page may not emit; the root refuses it earlier,
// with the handler's name on it.
func boundRecords(c Completion, b *Budget) error {
	var bytes int64
	for _, r := range c.Records {
		bytes += int64(len(r.Data))
		if len(r.Kind) > maxKind {
			return fmt.Errorf("complete %s: the kind of a record has %d bytes; %d are allowed", c.Lease.URL, len(r.Kind), maxKind)
		}
	}
	if len(c.Records) > b.Records || bytes > b.RecordBytes {
		return fmt.Errorf("complete %s: %d records of %d bytes; the budget allows %d of %d", c.Lease.URL, len(c.Records), bytes, b.Records, b.RecordBytes)
	}
	return nil
}

// boundReferences keeps the references that the budget allows for one page and
// counts the others, with the first of them.
func boundReferences(refs []Reference, over Overflow, b *Budget) ([]Reference, Overflow) {
	keep, bytes := len(refs), int64(0)
	for i, r := range refs {
		bytes += int64(len(r.Observed))
		if i >= b.References || bytes > b.ReferenceBytes {
			keep = i
			break
		}
	}
	if keep < len(refs) {
		over.Count += int64(len(refs) - keep)
		over.Example = refs[keep].Observed
	}
	return refs[:keep], over
}

// digestOf is what tells a redelivered completion from a conflicting one: the
// outcome, the response, the references and the records; neither latency nor
// the artifact's position.
func digestOf(c *Completion) [16]byte {
	size := 256 + len(c.Target) + len(c.Note)
	for i := range c.References {
		r := &c.References[i]
		size += 20 + len(r.Observed) + len(r.Base) + len(r.Charset) + len(r.Rule) + len(r.Refused)
	}
	b := make([]byte, 0, size)
	text := func(s string) {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	text(c.Outcome.String())
	text(string(c.Reason.Word()))
	text(c.Target)
	text(string(c.Evidence.Digest))
	b = binary.AppendUvarint(b, uint64(len(c.References)))
	for i := range c.References {
		r := &c.References[i]
		text(r.Observed)
		text(r.Base)
		text(r.Charset)
		text(r.Rule)
		text(string(r.Refused))
	}
	for _, r := range c.Records {
		text(r.Kind)
		sum := sha256.Sum256(r.Data)
		b = append(b, sum[:]...)
	}
	sum := sha256.Sum256(append(b, c.Note...))
	return [16]byte(sum[:16])
}

func sizeOf(c *Completion) int {
	size := 4 * kib
	for _, r := range c.Records {
		size += len(r.Data) + len(r.Kind) + 64
	}
	return size
}

// weightOf estimates what the rows of admitted references take: each stands in
// its own row, in the log and in its edge.
func weightOf(cs []candidate) int {
	size := 0
	for i := range cs {
		c := &cs[i]
		size += 512 + min(len(c.ref.Observed), maxObserved) + 2*len(c.url.Request)
		if c.url.Key.Text != c.url.Request {
			size += 2 * len(c.url.Key.Text)
		}
	}
	return size
}
