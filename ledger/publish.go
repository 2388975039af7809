package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// store puts a file at path that is whole and durable, or none.
func (f *File) store(path string, content io.WriterTo) error {
	if err := f.fill(path+fresh, func(w io.Writer) error { _, err := content.WriteTo(w); return err }); err != nil {
		return err
	}
	return errors.Join(f.disk.rename(path+fresh, path), f.disk.settle(path))
}

// fill makes a new file of what write writes, durably; after an error there is
// none.
func (f *File) fill(path string, write func(io.Writer) error) error {
	out, err := f.disk.make(path)
	if err != nil {
		return err
	}
	err = out.Truncate(0)
	if err == nil {
		err = write(io.NewOffsetWriter(out, 0))
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		err = errors.Join(err, f.disk.remove(path))
	}
	return err
}

// publish gives the stage's rows their name. Its receipt is kept: before the rows
// are there under that name, whoever comes next finds it, beside the rows still
// staged, and publishes them again.
func (f *File) publish(ctx context.Context) error {
	format, err := f.format()
	if err != nil {
		return err
	}
	var written *sum
	err = f.fill(f.Path+fresh, func(w io.Writer) error {
		summing := newSumming(w)
		err := format.Encode(ctx, summing, f.stage.results(ctx))
		written = summing.sum()
		return err
	})
	if err != nil {
		return err
	}
	if err := f.announce(written); err != nil {
		return err
	}
	if err := errors.Join(f.disk.rename(f.Path+fresh, f.Path), f.disk.settle(f.Path)); err != nil {
		return err
	}
	return f.tidy()
}

// publishStaged does the rest of a publication that ended before its rows had their
// name, once they are proved to be those of the receipt. Else nothing is changed.
func (f *File) publishStaged(ctx context.Context) error {
	err := f.kept.Verify(ctx, staged{rows: f.stage})
	if found := (*DamagedError)(nil); errors.As(err, &found) {
		return &DamagedError{Page: found.Page, What: fmt.Sprintf("%s is not what its receipt says: %s", f.partial(), found.What),
			Do: fmt.Sprintf("restore it, or remove %s and all that begins so", f.partial()), Err: found.Err}
	}
	if err != nil {
		return err
	}
	return f.publish(ctx)
}

// staged is a stage as a sink that is read back.
type staged struct {
	nowhere
	rows *stage
}

func (s staged) Results(ctx context.Context) iter.Seq2[Result, error] { return s.rows.results(ctx) }

// announce puts the receipt under its name, with the bytes that will be published.
func (f *File) announce(written *sum) error {
	if !f.published {
		if there, err := f.has(f.Path); err != nil {
			return err
		} else if there {
			return ErrPublished
		}
	}
	text, err := kept{f.kept, written}.text()
	if err != nil {
		return err
	}
	if err := f.store(receiptOf(f.Path), bytes.NewReader(text)); err != nil {
		return err
	}
	f.published = true
	return nil
}

// tidy removes what is not needed beside a published dataset.
func (f *File) tidy() error {
	err := f.stage.close()
	for _, path := range []string{f.partial(), f.progress(), receiptOf(f.partial()), f.Path + fresh} {
		err = errors.Join(err, f.disk.remove(path))
	}
	return err
}

// publishAgain does the rest of a publication whose receipt has its name.
func (f *File) publishAgain(ctx context.Context) error {
	staged, err := f.has(f.progress())
	if err == nil && !staged {
		err = &DamagedError{Page: -1, What: f.Path + " has a receipt and is gone", Do: "restore it, or remove the receipt"}
	}
	if err == nil {
		f.stage, err = load(f.disk, f.partial(), f.progress())
	}
	if err != nil {
		return err
	}
	return f.publishStaged(ctx)
}
