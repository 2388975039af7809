package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	err = f.fill(f.Path+fresh, func(w io.Writer) error { return format.Encode(ctx, w, f.stage.results(ctx)) })
	if err != nil {
		return err
	}
	if err := f.announce(); err != nil {
		return err
	}
	if err := errors.Join(f.disk.rename(f.Path+fresh, f.Path), f.disk.settle(f.Path)); err != nil {
		return err
	}
	return f.tidy()
}

// announce gives the receipt its name.
func (f *File) announce() error {
	if f.published {
		return nil
	}
	switch there, err := f.has(f.Path); {
	case err != nil:
		return err
	case there:
		return ErrPublished
	}
	if err := errors.Join(f.disk.rename(receiptOf(f.partial()), receiptOf(f.Path)), f.disk.settle(f.Path)); err != nil {
		return err
	}
	f.published = true
	return nil
}

// tidy removes what is not needed beside a published dataset.
func (f *File) tidy() error {
	err := f.stage.close()
	for _, path := range []string{f.partial(), f.progress(), f.Path + fresh} {
		err = errors.Join(err, f.disk.remove(path))
	}
	return err
}

// publishAgain does the rest of a publication whose receipt has its name.
func (f *File) publishAgain(ctx context.Context) error {
	staged, err := f.has(f.progress())
	if err == nil && !staged {
		err = fmt.Errorf("%w: %s has a receipt and is gone: restore it, or remove the receipt", ErrDamaged, f.Path)
	}
	if err == nil {
		f.stage, err = load(f.disk, f.partial(), f.progress())
	}
	if err != nil {
		return err
	}
	return f.publish(ctx)
}
