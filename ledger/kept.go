package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"

	"github.com/weircrawl/weir/storage"
)

// kept is what a receipt's file has: the receipt, and of a published dataset the
// bytes that it was published with.
type kept struct {
	Receipt
	File *sum `json:"file,omitempty"`
}

// A sum tells the bytes of a file.
type sum struct {
	Bytes  int64          `json:"bytes"`
	Digest storage.Digest `json:"digest"`
}

// text is k as it stands in its file. A byte that is no UTF-8 has become the
// character that it is read back as.
func (k kept) text() ([]byte, error) {
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil || !bytes.Contains(text, []byte(`\ufffd`)) {
		return append(text, '\n'), err
	}
	var back kept
	if err := json.Unmarshal(text, &back); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(back, "", "\t")
	return append(text, '\n'), err
}

// parseKept reads what text has written, and nothing else: no key that is unknown
// or there twice, no receipt that is not as it was sealed.
func parseKept(text []byte) (kept, error) {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return kept{}, err
	}
	again, err := k.text()
	switch {
	case err != nil:
		return kept{}, err
	case k.Verdict == "":
		return kept{}, errors.New("it has no verdict")
	case !bytes.Equal(again, text):
		return kept{}, errors.New("it is not as it was written")
	}
	if wrong := k.wrong(); wrong != "" {
		return kept{}, errors.New(wrong)
	}
	return k, nil
}

// A summing writer counts and digests what goes through it.
type summing struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

func newSumming(w io.Writer) *summing { return &summing{w: w, hash: sha256.New()} }

func (s *summing) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.bytes += int64(n)
	s.hash.Write(p[:n])
	return n, err
}

func (s *summing) sum() *sum {
	return &sum{s.bytes, storage.Digest("sha256:" + hex.EncodeToString(s.hash.Sum(nil)))}
}

// publishedRows yields the rows of the published file, if its bytes are those that
// were published. Where they are not, the rows of a text are read all the same, so
// that the first that differs is named; any other format is not given a file that it
// may trust too much.
func (f *File) publishedRows(ctx context.Context, format Format, yield func(Result, error) bool) error {
	file, err := f.disk.open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	size, err := file.size()
	if err != nil {
		return err
	}
	changed := f.sameBytes(ctx, file, size)
	if changed != nil && !(errors.Is(changed, ErrDamaged) && isText(format)) {
		return changed
	}
	for row, err := range format.Decode(ctx, file, size) {
		if err != nil {
			return err
		}
		if !yield(row, nil) {
			return nil
		}
	}
	return changed
}

func isText(format Format) bool {
	switch format.(type) {
	case JSONL, CSV:
		return true
	}
	return false
}

// sameBytes compares the published file with what its receipt says of it.
func (f *File) sameBytes(ctx context.Context, file file, size int64) error {
	k, err := f.readReceipt(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &DamagedError{Page: -1, What: f.Path + " has no receipt", Do: "restore the receipt, or remove the dataset", Err: err}
	}
	if err != nil {
		return err
	}
	got := newSumming(io.Discard)
	if err := copied(ctx, got, io.NewSectionReader(file, 0, size)); err != nil {
		return err
	}
	if k.File == nil || *got.sum() != *k.File {
		return &DamagedError{Page: -1, What: f.Path + " has other bytes than were published"}
	}
	return nil
}

// copied copies until the end of r, or of ctx.
func copied(ctx context.Context, w io.Writer, r io.Reader) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if _, err := io.CopyN(w, r, 1<<20); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
