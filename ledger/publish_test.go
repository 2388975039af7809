package ledger

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interrupted is a File whose process dies between the receipt and the rows.
type interrupted struct{ *File }

func (s interrupted) Finish(_ context.Context, r Receipt) error {
	text, err := kept{Receipt: r}.text()
	if err != nil {
		return err
	}
	return s.store(receiptOf(s.partial()), bytes.NewReader(text))
}

// TestWhatIsStagedIsProvedBeforeItIsPublished damages what a process that died in a
// publication has left.
func TestWhatIsStagedIsProvedBeforeItIsPublished(t *testing.T) {
	edit := func(old, new string) func(string) error {
		return func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(new), 1), 0o600)
		}
	}
	for name, c := range map[string]struct {
		file   string
		damage func(path string) error
	}{
		"nothing":                   {".partial", func(string) error { return nil }},
		"no progress":               {".partial.progress", os.Remove},
		"the last line of progress": {".partial.progress", edit(`"ordinal":1`, `"ordinal":2`)},
		"a row":                     {".partial", func(path string) error { return flip(path, 10) }},
		"the receipt":               {".partial.receipt.json", edit(`"results": 6`, `"results": 7`)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			f := &File{Path: path}
			_, err := exported(books{6, "g"}, interrupted{f}, 3)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.NoError(t, c.damage(path+c.file))
			before := files(t, path)

			r, err := exported(books{6, "g"}, &File{Path: path}, 3)
			if name == "nothing" {
				require.NoError(t, err)
				assert.True(t, r.Publishable())
				assert.FileExists(t, path)
				return
			}
			require.Error(t, err)
			assert.NoFileExists(t, path)
			assert.Equal(t, before, files(t, path), "nothing is renamed or removed")
		})
	}
}
