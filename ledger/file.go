package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
)

// A File is a [Sink] that keeps its dataset in one file. What is published is never
// written again.
//
//	pages.csv                       the dataset, once it is published
//	pages.csv.receipt.json          its receipt, which is there before it, and under "file" the bytes that it has
//	pages.csv.partial               rows so far, as JSONL whatever the format
//	pages.csv.partial.progress      a line for each page of them
//	pages.csv.partial.receipt.json  the receipt of what is not to be published, with its Next
//	pages.csv.lock                  held by the process that writes
//
// Resume reads the receipt of what is published, and not the dataset: whether that is
// still as it was published is what Receipt.Verify says. It reads the rows, and then
// compares the length of the file and its SHA-256 with those beside the receipt.
//
// A page is durable when Write returns. Whenever the process dies or the power
// fails, the next Resume finds the pages whose Write has returned, and finishes a
// publication that had begun. An error of a full disk wraps storage.ErrNoSpace, and
// loses nothing that was kept.
//
// Its lock is taken by Resume, Write or Finish, and freed by Finish and Close:
// meanwhile another File of this Path, in any process, gets storage.ErrLocked, which
// names the holder. Reading locks nothing.
type File struct {
	Path   string
	Format Format // nil: by the extension of Path: .jsonl, .ndjson or .csv

	disk disk // nil: the machine's
	lock lock // nil: not held, and nothing below is read yet

	stage     *stage
	kept      Receipt // of the last Finish; without a verdict: none, or there was a Write since
	published bool
}

var _ Sink = (*File)(nil)

// ErrPublished means that there is a published dataset at the Path already. It
// stays as it is: choose another Path, or remove or rename it and its receipt.
var ErrPublished = errors.New("ledger: a dataset is published there already")

// What is written before it gets its name.
const fresh = ".new"

func (f *File) partial() string { return f.Path + ".partial" }

func (f *File) progress() string { return f.partial() + ".progress" }

func receiptOf(path string) string { return path + ".receipt.json" }

// Resume returns what an earlier Materialize has left. Of an interrupted
// publication, it does the rest.
func (f *File) Resume(ctx context.Context) (Receipt, error) {
	if err := f.enter(ctx); err != nil {
		return Receipt{}, f.failed(err)
	}
	if f.kept.Verdict != "" {
		return f.kept, nil
	}
	return Receipt{Pages: slices.Clone(f.stage.lines)}, nil
}

// Write keeps one page. Its ordinal is higher than those before it, or 0, which
// starts over.
func (f *File) Write(ctx context.Context, line PageReceipt, results []Result) error {
	if err := f.enter(ctx); err != nil {
		return f.failed(err)
	}
	return f.failed(f.write(ctx, line, results))
}

func (f *File) write(ctx context.Context, line PageReceipt, results []Result) error {
	if f.published {
		return ErrPublished
	}
	lines := f.stage.lines
	if n := len(lines); n > 0 && line.Ordinal != 0 && line.Ordinal <= lines[n-1].Ordinal {
		return fmt.Errorf("page %d comes after page %d", line.Ordinal, lines[n-1].Ordinal)
	}
	var rows bytes.Buffer
	if err := (JSONL{}).Encode(ctx, &rows, listed(results)); err != nil {
		return err
	}
	if err := f.reopen(line.Ordinal == 0 && len(lines) > 0); err != nil {
		return err
	}
	return f.stage.write(line, rows.Bytes())
}

// reopen makes the stage ready for one more page, or for the first.
func (f *File) reopen(over bool) error {
	if err := f.stage.begin(); err != nil {
		return err
	}
	if f.kept.Verdict != "" {
		if err := errors.Join(f.disk.remove(receiptOf(f.partial())), f.disk.settle(f.Path)); err != nil {
			return err
		}
		f.kept = Receipt{}
	}
	if over {
		return f.stage.reset()
	}
	return nil
}

func listed(results []Result) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for _, r := range results {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Finish keeps r, publishes what r says is publishable, and frees the lock. To
// finish once more with the same receipt changes nothing.
func (f *File) Finish(ctx context.Context, r Receipt) error {
	err := f.enter(ctx)
	if err == nil {
		err = f.finish(ctx, r)
	}
	return f.failed(errors.Join(err, f.Close()))
}

func (f *File) finish(ctx context.Context, r Receipt) error {
	text, err := kept{Receipt: r}.text()
	if err != nil {
		return err
	}
	if f.published {
		return f.unchanged(text)
	}
	if err := f.stage.begin(); err != nil {
		return err
	}
	if err := f.store(receiptOf(f.partial()), bytes.NewReader(text)); err != nil {
		return err
	}
	f.kept = r
	if !r.Publishable() {
		return nil
	}
	return f.publish(ctx)
}

// unchanged is nil if text is the published receipt.
func (f *File) unchanged(text []byte) error {
	published, err := kept{Receipt: f.kept}.text()
	if err == nil && !bytes.Equal(published, text) {
		err = ErrPublished
	}
	return err
}

// Results reads back what is published, or what is staged. It locks nothing.
func (f *File) Results(ctx context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		if err := f.results(ctx, yield); err != nil {
			yield(Result{}, f.failed(err))
		}
	}
}

func (f *File) results(ctx context.Context, yield func(Result, error) bool) error {
	f.setDisk()
	format, err := f.format()
	if err != nil {
		return err
	}
	if there, err := f.has(f.Path); err != nil {
		return err
	} else if there {
		return f.publishedRows(ctx, format, yield)
	}
	stage, err := load(f.disk, f.partial(), f.progress())
	if err != nil {
		return err
	}
	stage.results(ctx)(yield)
	return nil
}

// Receipt reads the receipt of what is published, or else of what is kept as
// partial. It locks nothing. Where neither is there, its error wraps
// fs.ErrNotExist.
func (f *File) Receipt() (Receipt, error) {
	f.setDisk()
	k, err := f.readReceipt(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		k, err = f.readReceipt(f.partial())
	}
	return k.Receipt, f.failed(err)
}

// maxReceipt is the largest receipt that is read.
const maxReceipt = maxLog

func (f *File) readReceipt(path string) (kept, error) {
	text, err := readAll(f.disk, receiptOf(path), maxReceipt)
	if err != nil {
		return kept{}, err
	}
	k, err := parseKept(text)
	if err != nil {
		err = &DamagedError{Page: -1, What: fmt.Sprintf("%s is no receipt of weir: %v", receiptOf(path), err),
			Do: "restore it, or remove it and its dataset", Err: err}
	}
	return k, err
}

// enter takes the lock and reads what is there, unless that is done.
func (f *File) enter(ctx context.Context) (err error) {
	if f.lock != nil {
		return nil
	}
	f.setDisk()
	if _, err := f.format(); err != nil {
		return err
	}
	if f.lock, err = f.disk.lock(f.Path + ".lock"); err != nil {
		f.lock = nil
		return err
	}
	if err := f.find(ctx); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// find reads what is there, and goes on where a publication was when the process
// died.
func (f *File) find(ctx context.Context) error {
	there, err := f.has(f.Path)
	if err != nil {
		return err
	}
	k, err := f.readReceipt(f.Path)
	f.kept, f.published = k.Receipt, err == nil
	switch {
	case f.published && there:
		return f.tidy()
	case f.published:
		return f.publishAgain(ctx)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case there:
		return fmt.Errorf("%w, without a receipt: move it away, or choose another path", ErrPublished)
	}
	return f.findPartial(ctx)
}

func (f *File) findPartial(ctx context.Context) (err error) {
	if f.stage, err = load(f.disk, f.partial(), f.progress()); err != nil {
		return err
	}
	k, err := f.readReceipt(f.partial())
	f.kept = k.Receipt
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && f.kept.Publishable():
		return f.publishStaged(ctx)
	}
	return err
}

// Close frees the lock, if it is held. What was kept stays, and the next Resume
// goes on with it.
func (f *File) Close() error {
	if f.lock == nil {
		return nil
	}
	err := errors.Join(f.stage.close(), f.lock.Remove())
	f.lock, f.stage, f.kept, f.published = nil, nil, Receipt{}, false
	return err
}

func (f *File) setDisk() {
	if f.disk == nil {
		f.disk = realDisk{}
	}
}

func (f *File) format() (Format, error) {
	if f.Format != nil {
		return f.Format, nil
	}
	return formatOf(f.Path)
}

func (f *File) has(path string) (bool, error) {
	found, err := f.disk.open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, found.Close()
}

// failed says of which dataset err is. Damage names its file itself.
func (f *File) failed(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return fmt.Errorf("dataset %s: %w", f.Path, noSpace(err))
}
