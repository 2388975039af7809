//go:build unix

package weir_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
)

// TestPostgreSQLsManualIsDeliveredWholeAndDamageIsFound: a real site, crawled and
// materialized to files; then the files are damaged as disks and people do it.
func TestPostgreSQLsManualIsDeliveredWholeAndDamageIsFound(t *testing.T) {
	c := postgresql.here(t)
	site := c.serve(t)
	crawler, err := weir.New(weir.Config{
		UserAgent: "weirtest/1.0", Dir: t.TempDir(), Policy: frontier.Policy{Delay: -1, Concurrency: 16},
		Fetch: fetch.Config{Dial: victim{Address: site.Listener.Addr().String()}.dial, Allow: loopback},
	})
	require.NoError(t, err)
	defer crawler.Close()
	ran, err := crawler.Run(t.Context(), "http://"+c.name+".test/index.html")
	require.NoError(t, err)
	results, err := crawler.Generation(t.Context(), "")
	require.NoError(t, err)

	for _, name := range []string{"pages.jsonl", "pages.csv"} {
		t.Run(name, func(t *testing.T) {
			file := &ledger.File{Path: filepath.Join(t.TempDir(), name)}
			defer file.Close()
			receipt, err := ledger.Materialize(t.Context(), ledger.Export{From: results, To: file, Page: ledger.PageRequest{Records: 100}})
			require.NoError(t, err)
			assert.Equal(t, ledger.Complete, receipt.Verdict, receipt)
			assert.Equal(t, len(c.reachable(t)), int(receipt.Results))
			assert.Equal(t, ran.Digest, receipt.Digest, "what Run has walked")
			require.NoError(t, receipt.Verify(t.Context(), file))
			whole, err := os.ReadFile(file.Path)
			require.NoError(t, err)
			for fault, damage := range damages {
				require.NoError(t, os.WriteFile(file.Path, damage(bytes.Clone(whole)), 0o600))
				assert.Error(t, receipt.Verify(t.Context(), file), "%s is found", fault)
			}
			require.NoError(t, os.WriteFile(file.Path, whole, 0o600))
			assert.NoError(t, receipt.Verify(t.Context(), file))
		})
	}
}

// damages are what can happen to a file of one row a line.
var damages = map[string]func(text []byte) []byte{
	"a flipped byte": func(text []byte) []byte {
		at := bytes.LastIndex(text, []byte("sha256:")) + len("sha256:")
		text[at] ^= 1
		return text
	},
	"a flipped byte in what people read": func(text []byte) []byte {
		at := bytes.Index(text, []byte("sha256:")) + len("sha256:")
		text[at] ^= 1
		return text
	},
	"a row less": func(text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		return bytes.Join(append(lines[:500:500], lines[501:]...), nil)
	},
	"a row twice": func(text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		return bytes.Join(append(lines[:501:501], lines[500:]...), nil)
	},
	"two rows in each other's place": func(text []byte) []byte {
		lines := bytes.SplitAfter(text, []byte("\n"))
		lines[500], lines[501] = lines[501], lines[500]
		return bytes.Join(lines, nil)
	},
	"an end that is cut off": func(text []byte) []byte { return text[:len(text)-100] },
}
