package ledger

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// isDamage asserts that err is damage, says so once, and says what to do.
func isDamage(t *testing.T, err error, what string) {
	t.Helper()
	found := (*DamagedError)(nil)
	require.ErrorAs(t, err, &found, what)
	require.ErrorIs(t, err, ErrDamaged, what)
	text := err.Error()
	require.True(t, strings.HasPrefix(text, "ledger: damaged: "), "%s: %s", what, text)
	require.Equal(t, 1, strings.Count(text, "ledger: "), "%s: %s", what, text)
	require.Contains(t, text, "remove ", what)
}

// shuffled are the lines of text with one removed, doubled, or put in the place of
// its neighbour.
func shuffled(text []byte, each func(name string, text []byte)) {
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	lines[len(lines)-1] = append(bytes.Clone(lines[len(lines)-1]), '\n')
	for i := range lines {
		each(fmt.Sprintf("line %d removed", i), bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil))
		each(fmt.Sprintf("line %d doubled", i), bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil))
		if i > 0 {
			other := slices.Clone(lines)
			other[i-1], other[i] = other[i], other[i-1]
			each(fmt.Sprintf("line %d before line %d", i, i-1), bytes.Join(other, nil))
		}
	}
}

// flipped are the texts that differ from one in one bit.
func flipped(text []byte, each func(name string, text []byte)) {
	for bit := range 8 * len(text) {
		broken := bytes.Clone(text)
		broken[bit/8] ^= 1 << (bit % 8)
		each(fmt.Sprintf("bit %d of byte %d", bit%8, bit/8), broken)
	}
}

// published is a small dataset on a medium.
func published(t *testing.T, path string) (*medium, *File, Receipt) {
	t.Helper()
	m := newMedium()
	f := &File{Path: path, disk: m}
	r, err := exported(books{4, "g"}, f, 0)
	require.NoError(t, err)
	require.NoError(t, r.Verify(t.Context(), f))
	return m, f, r
}

// TestAnyChangeOfAFileIsDamage changes a published dataset in every bit and every
// line, and as editors do.
func TestAnyChangeOfAFileIsDamage(t *testing.T) {
	for _, path := range []string{"pages.jsonl", "pages.csv"} {
		t.Run(path, func(t *testing.T) {
			m, f, r := published(t, path)
			whole := m.names[path].now
			damage := func(what string, text []byte) {
				m.names[path].now = text
				isDamage(t, r.Verify(t.Context(), f), what)
			}
			flipped(whole, damage)
			for end := range whole {
				damage(fmt.Sprintf("cut at %d", end), whole[:end])
			}
			shuffled(whole, damage)
			damage("a blank line at the start", append([]byte("\n"), whole...))
			damage("a blank line at the end", append(bytes.Clone(whole), "\r\n"...))
			damage("other ends of lines", append(bytes.TrimRight(bytes.Clone(whole), "\r\n"), "\n\n"...))
			damage("a cell quoted anew", bytes.Replace(whole, []byte("done"), []byte(`"done"`), 1))
			damage("a mark of the byte order", append([]byte("\ufeff"), whole...))
			delete(m.names, receiptOf(path))
			damage("no receipt", whole)
		})
	}
}

// TestAnyChangeOfAReceiptIsDamage changes its file in every bit, and as editors do.
func TestAnyChangeOfAReceiptIsDamage(t *testing.T) {
	m, f, r := published(t, "pages.csv")
	whole := m.names[receiptOf(f.Path)].now
	damage := func(what string, text []byte) {
		m.names[receiptOf(f.Path)].now = text
		read, err := f.Receipt()
		if err == nil { // it is what is said of the file beside it
			err = read.Verify(t.Context(), f)
		}
		isDamage(t, err, what)
		isDamage(t, r.Verify(t.Context(), f), what+", beside the dataset")
	}
	flipped(whole, damage)
	damage("a key that is unknown", bytes.Replace(whole, []byte("{"), []byte("{\n\t\"signed_off\": \"yes\","), 1))
	damage("a key twice", bytes.Replace(whole, []byte("{"), []byte("{\n\t\"verdict\": \"failed\","), 1))
	damage("written otherwise", bytes.ReplaceAll(whole, []byte("\t"), []byte("  ")))
	damage("more behind it", append(bytes.Clone(whole), '\n'))
	damage("nothing", nil)
}

// TestASealedReceiptWithAnotherVerdictIsDamage: who seals anew must also lie about
// what the verdict follows from.
func TestASealedReceiptWithAnotherVerdictIsDamage(t *testing.T) {
	b := &box{}
	r := materialize(t, export(newShelf(5), b))
	r.Verdict = Failed
	isDamage(t, r.sealed().Verify(t.Context(), b), "verdict")
}

// TestDamageBesideAPartIsDamage: also for who goes on with it.
func TestDamageBesideAPartIsDamage(t *testing.T) {
	for _, suffix := range []string{".partial", ".partial.progress", ".partial.receipt.json"} {
		m := newMedium()
		_, err := exported(books{8, "g"}, &File{Path: "pages.csv", disk: m}, 2)
		require.NoError(t, err)
		c := m.names["pages.csv"+suffix]
		whole := c.now
		change := whole
		if suffix == ".partial.progress" {
			change = whole[:bytes.IndexByte(whole, '\n')] // its end may be torn
		}
		flipped(change, func(name string, text []byte) {
			c.now = append(text, whole[len(text):]...)
			_, err := exported(books{8, "g"}, &File{Path: "pages.csv", disk: m}, 2)
			isDamage(t, err, suffix+": "+name)
		})
	}
}

// unread are rows that cannot be read.
type unread struct {
	nowhere
	err error
}

func (u unread) Results(context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) { yield(Result{}, u.err) }
}

func TestWhatOnlyHindersTheReadingIsNoDamage(t *testing.T) {
	r := materialize(t, export(newShelf(5), &box{}))
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	for name, err := range map[string]error{
		"no file": missing, "a disk that fails": &RowError{3, &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}},
		"something else": io.ErrUnexpectedEOF,
	} {
		found := r.Verify(t.Context(), unread{err: err})
		require.ErrorIs(t, found, err, name)
		assert.NotErrorIs(t, found, ErrDamaged, name)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	whole, err := exported(books{8, "g"}, &File{Path: path}, 0)
	require.NoError(t, err)
	err = whole.Verify(ended, &File{Path: path})
	require.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, ErrDamaged)
}
