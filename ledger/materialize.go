package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// An Export is one materialization: what is walked, where it goes, and how far. A
// zero bound means its default; no value means "unlimited". The bounds are those
// of the dataset, however often it was gone on with: to go on beyond one, raise it.
type Export struct {
	From Source
	To   Sink

	Page    PageRequest   // how much is asked for at a time; After is not used
	Pages   int           // consumed at most; default 1,000,000
	Results int64         // default 10,000,000
	Bytes   int64         // of IDs and data; default 1 TiB
	Time    time.Duration // of this Materialize, its waits among it; default 24 h

	// Retries is how often a page that failed is asked for again; default 4, and none
	// if negative. Before that it waits as long as the source asks, or a second at
	// first and then twice as long each time, up to 30.
	Retries int
	Wait    func(ctx context.Context, d time.Duration) error // default: waits

	Trace func(PageReceipt) // called for every line
}

// WithDefaults returns e with every zero field at its default.
func (e Export) WithDefaults() Export {
	e.Page = e.Page.WithDefaults()
	e.Page.After = ""
	e.Pages = cmp.Or(e.Pages, 1_000_000)
	e.Results = cmp.Or(e.Results, 10_000_000)
	e.Bytes = cmp.Or(e.Bytes, 1<<40)
	e.Time = cmp.Or(e.Time, 24*time.Hour)
	e.Retries = max(0, cmp.Or(e.Retries, 4))
	if e.Wait == nil {
		e.Wait = wait
	}
	if e.Trace == nil {
		e.Trace = func(PageReceipt) {}
	}
	return e
}

// An OtherGenerationError means that the sink holds a dataset of another generation
// than the source is of: of another name, or of that name, as the first run of any
// store has it, and frozen at another time. Nothing was changed. To go on with it, open generation Held:
// Crawler.Generation(ctx, Held), or without a Crawler [At] of what
// frontier.Reader.Generation returns. Else give the sink another name.
type OtherGenerationError struct {
	Held, Offered string // empty: of none
	Published     bool
}

func (e *OtherGenerationError) Error() string {
	what, way := "a part", "go on with the source that it is of"
	if e.Published {
		what = "the published dataset"
	}
	switch {
	case e.Held == e.Offered:
		return fmt.Sprintf("ledger: the sink holds %s of %s, the source is of another that has this name and was frozen at another time: go on with the store that the former is of, or write to another sink",
			what, generation(e.Held))
	case e.Held != "":
		way = fmt.Sprintf("go on with the former, which Crawler.Generation(ctx, %q) opens", e.Held)
	}
	return fmt.Sprintf("ledger: the sink holds %s of %s, the source is of %s: %s, or write to another sink",
		what, generation(e.Held), generation(e.Offered), way)
}

func generation(id string) string {
	if id == "" {
		return "no frozen generation"
	}
	return fmt.Sprintf("generation %q", id)
}

var errNoEnds = errors.New("ledger: materialize: an Export needs a source, From, and a sink, To")

// Materialize walks e.From into e.To, from where an earlier one has stopped, and
// returns the receipt, which e.To keeps. Whatever ends a walk early stands in the
// receipt: its CutOff, and Next, the cursor to go on from. An error means that
// there is no receipt, but for that of ctx: then the receipt is of what was kept
// so far. What was written stays, and the next Materialize goes on with it.
//
// A dataset is of one generation. Where e.To holds a whole one of the same
// generation, or one of none and the source has none, its receipt is returned and
// nothing is done: no result is read, so that a dataset that was damaged since then
// is found by [Receipt.Verify] alone. Where e.To holds a dataset of another
// generation the error is *[OtherGenerationError]. An e.From that cannot work as it
// is configured is a *[ConfigError]: nothing was asked for and nothing written.
func Materialize(ctx context.Context, e Export) (Receipt, error) {
	if e.From == nil || e.To == nil {
		return Receipt{}, errNoEnds
	}
	m := &materialization{Export: e.WithDefaults(), walk: newWalk(), began: time.Now()}
	defer m.leave()
	kept, err := m.To.Resume(ctx)
	if err != nil {
		return Receipt{}, within("resume", err)
	}
	switch whole, err := m.resume(ctx, kept); {
	case err != nil:
		return Receipt{}, err
	case whole:
		return kept, nil
	}
	cut, err := m.run(ctx)
	if err != nil {
		return Receipt{}, err
	}
	return m.finish(ctx, cut)
}

// leave lets go of what the sink holds. There is nothing to lose: Write and Finish
// have kept what they were given, or have said that they did not.
func (m *materialization) leave() {
	if c, ok := m.To.(io.Closer); ok {
		_ = c.Close()
	}
}

// materialization is one Materialize at work.
type materialization struct {
	Export
	*walk
	began time.Time
}

// resume takes up what the sink holds. It reports whether that is a whole dataset.
func (m *materialization) resume(ctx context.Context, kept Receipt) (bool, error) {
	lines := consumed(kept.Pages)
	if kept.Verdict != "" {
		if err := kept.intact(); err != nil {
			return false, err
		}
	}
	if len(lines) == 0 {
		return false, nil
	}
	head, err := m.probe(ctx)
	if err != nil {
		return false, err
	}
	if held := lines[0].Generation; held != head.Generation || kept.Verdict != "" && !kept.Frozen.Equal(head.Frozen) {
		return false, &OtherGenerationError{Held: held, Offered: head.Generation, Published: kept.Publishable()}
	}
	if kept.Publishable() {
		return true, nil
	}
	m.head = head
	if err := replay(ctx, m.walk, lines, m.To); err != nil {
		return false, err
	}
	return false, m.reopen(ctx, *head)
}

// reopen takes up the walk where it has stopped. An end that is none is asked for
// again. Elsewhere head, which the source says by now, must be of what was walked:
// where it cannot be, a line without results keeps that.
func (m *materialization) reopen(ctx context.Context, head Page) error {
	if m.open() {
		m.done = false
		return nil
	}
	if m.said.otherwise(head.said(), head.Generation != "") == "" || len(m.faults.first) > 0 {
		return nil
	}
	head.Next = m.next
	return m.keep(ctx, m.line(head), nil)
}

// keep puts a page into the sink, and counts it.
func (m *materialization) keep(ctx context.Context, line PageReceipt, results []Result) error {
	if err := m.To.Write(ctx, line, results); err != nil {
		return within(fmt.Sprintf("page %d", line.Ordinal), err)
	}
	m.take(line, results)
	m.Trace(line)
	return nil
}

// consumed are the lines whose pages are in the dataset.
func consumed(lines []PageReceipt) []PageReceipt {
	for i, l := range lines {
		if !l.Consumed {
			return lines[:i]
		}
	}
	return lines
}

// probe asks for the start once more, for what the source says of the whole: it
// may have nothing else left to give.
func (m *materialization) probe(ctx context.Context) (*Page, error) {
	r := m.Page
	r.Records = 1
	page, _, err := m.ask(ctx, r, (*Page).sound)
	if err != nil {
		return nil, within("resume", err)
	}
	page.Results, page.Next = nil, ""
	return &page, nil
}

// run consumes pages until the last one, or until something cuts it off.
func (m *materialization) run(ctx context.Context) (CutOff, error) {
	for !m.done {
		request, cut := m.request(ctx)
		if cut != "" {
			return cut, nil
		}
		page, retries, err := m.ask(ctx, request, func(p *Page) error { return m.check(p) })
		if config := (*ConfigError)(nil); errors.As(err, &config) {
			return "", err
		}
		if err != nil {
			return m.failed(ctx, page, retries, err), nil
		}
		if cut := m.beyond(page); cut != "" {
			return cut, nil
		}
		line := m.line(page)
		line.Retries = retries
		m.heads(page)
		if m.stands(line) {
			m.done = true
			continue
		}
		if err := m.keep(ctx, line, page.Results); err != nil {
			if ctx.Err() != nil {
				return CutContext, nil
			}
			return "", err
		}
	}
	return "", nil
}

// request is for the next page, as far as the bounds allow one.
func (m *materialization) request(ctx context.Context) (PageRequest, CutOff) {
	r := m.Page
	r.After = m.next
	r.Records = len(m.tail) + int(max(0, min(int64(r.Records), m.Export.Results-m.rows)))
	r.Bytes = m.tail.bytes() + max(0, min(r.Bytes, m.Export.Bytes-m.bytes))
	switch {
	case ctx.Err() != nil:
		return r, CutContext
	case len(m.lines) >= m.Export.Pages:
		return r, CutPages
	case r.Records <= 0:
		return r, CutResults
	case r.Bytes <= 0:
		return r, CutBytes
	case time.Since(m.began) >= m.Export.Time:
		return r, CutTime
	}
	return r, ""
}

// beyond reports that a page would lead beyond a bound: a source may give more
// than is asked for.
func (m *materialization) beyond(p Page) CutOff {
	bytes := m.bytes
	for _, r := range p.Results {
		bytes += r.size()
	}
	switch {
	case m.rows+int64(len(p.Results)) > m.Export.Results:
		return CutResults
	case bytes > m.Export.Bytes:
		return CutBytes
	}
	return ""
}

// heads notes what is the same on every page.
func (m *materialization) heads(p Page) {
	p.Results, p.Next = nil, ""
	m.head = &p
}

// failed keeps the line of the page that ended the walk. None of its results are
// consumed, and the cursor that led to it is the one to go on from.
func (m *materialization) failed(ctx context.Context, p Page, retries int, err error) CutOff {
	cut := class(ctx, err)
	if cut == CutContext {
		return cut
	}
	line := PageReceipt{Ordinal: len(m.lines), Generation: clip(p.Generation), In: m.next, Retries: retries,
		Error: cut, Detail: clip(err.Error())}
	if cut == CursorLoop {
		line.Out = p.Next
	}
	m.lines = append(m.lines, line)
	m.Trace(line)
	return cut
}

// finishing bounds the last step of a Materialize whose context has ended.
const finishing = 30 * time.Second

// finish judges, and lets the sink keep the receipt: also after the end of ctx.
func (m *materialization) finish(ctx context.Context, cut CutOff) (Receipt, error) {
	r := m.receipt(cut)
	ended := context.Cause(ctx)
	if cut == CutContext {
		var done func()
		ctx, done = context.WithTimeout(context.WithoutCancel(ctx), finishing)
		defer done()
	}
	if err := m.To.Finish(ctx, r); err != nil {
		return Receipt{}, errors.Join(within("finish", err), ended)
	}
	if cut == CutContext {
		return r, fmt.Errorf("ledger: materialize: %w", ended)
	}
	return r, nil
}

// receipt accounts for the walk.
func (m *materialization) receipt(cut CutOff) Receipt {
	r := Receipt{Expected: NoCounts()}
	w := m.walk
	if h := w.head; h != nil {
		if h.Phase == w.said.Phase {
			r.Ended = h.Ended
		}
		if h.Account != nil {
			r = of(*h.Account)
		}
		r.Generation, r.Frozen = h.Generation, h.Frozen
		r.Phase, r.Ordered, r.Expected = w.said.Phase, w.said.Ordered, w.said.Counts
		if cut == "" {
			r.Missing = w.missing()
		}
	}
	r.Results, r.Bytes, r.Superseded, r.Duplicates, r.Records = w.rows, w.bytes, w.superseded, w.duplicates, w.records
	r.Truncated, r.IDs, r.Digest = w.truncated, w.digests.ids.sum(), w.digests.content.sum()
	r.Pages, r.CutOff, r.Walked = w.lines, cut, w.walked()
	if !w.done {
		r.Next = w.next
	}
	r.Faults = disagreements(w, cut == "")
	return r.judged()
}
