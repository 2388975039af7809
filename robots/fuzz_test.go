package robots

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a$\nCrawl-delay: 1\nSitemap: x"), "/a")
	f.Add([]byte("\xef\xbb\xbfuser-agent:weirbot\rallow:/%zz\r\ndisallow /"), "/%7e%zz")
	f.Fuzz(func(t *testing.T, body []byte, target string) {
		rules := Parse(body)
		got := rules.Decide("weirbot", target)
		require.Equal(t, got, rules.Decide("WEIRBOT/2.0", target), "the token alone counts")
		require.True(t, got.Allowed || got.Line > 0)
		require.GreaterOrEqual(t, rules.Size(), len(counted(body)))
		require.LessOrEqual(t, rules.Size(), 40*len(body)+1000)
		printed := question{body, "weirbot", target}
		printed = printed.with(printed.items())
		require.Equal(t, got.Allowed, printed.ours() == "allowed", "printed and parsed again: %v", printed)
	})
}

func FuzzLinesAreTheText(f *testing.F) {
	f.Add("a\r\nb\rc\n\n\rd\r\r\n")
	f.Add("\r")
	f.Fuzz(func(t *testing.T, text string) {
		var all []string
		for line := range lines(text) {
			require.NotContains(t, line, "\n")
			require.NotContains(t, line, "\r")
			all = append(all, line)
		}
		ends := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		require.Equal(t, ends.Replace(text), strings.Join(all, "\n"))
	})
}
