package weir

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

// hops is a robots.txt behind so many redirects, each with a body of so many
// bytes; the file itself has rules and as many bytes again.
func hops(n, bytes, file int) string {
	var b strings.Builder
	b.WriteString("-- http://a.test/ --\nx\n-- http://a.test/robots.txt --\n")
	for i := range n {
		fmt.Fprintf(&b, "HTTP 302\nLocation: /r%d\n! repeat %d\n\n#\n-- http://a.test/r%[1]d --\n", i+1, bytes/2)
	}
	fmt.Fprintf(&b, "HTTP 200\nContent-Type: text/plain\n! repeat %d\n\n#\n", file/2)
	return b.String()
}

func TestAllHopsOfARobotsFileShareItsBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		web   string
		asked int // URLs of the site, before it is given up
		want  string
	}{
		{"small hops", hops(5, 400, 1000), 7, "done {fetched} http://a.test/"},
		{"the largest file", hops(0, 0, 700_000), 2, "done {fetched} http://a.test/"},
		{"a file behind large hops", hops(2, 250_000, 400_000), 3, "refused {robots: unreachable} http://a.test/"},
		{"hops larger than a file may be", hops(5, 500_000, 400_000), 2, "refused {robots: unreachable} http://a.test/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, mem := web(t, c.web), memory.New()
				cfg := over(w, mem)
				cfg.Budget.Attempts = 1
				got := int64(0)
				cfg.Trace.Settled = func(c frontier.Completion, _ frontier.Answer) { got += c.Evidence.Bytes }
				receipt, err := Run(t.Context(), cfg, "http://a.test/")
				require.NoError(t, err)
				assert.Equal(t, got, receipt.Used.Bytes, "bytes fetched and bytes charged")
				assert.LessOrEqual(t, got, int64(512<<10+2))
				assert.Len(t, w.Log(), c.asked)
				assert.Equal(t, []string{c.want}, results(t, mem))
			})
		})
	}
}
