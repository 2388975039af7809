package urlnorm

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
)

func TestAQueryIsWrittenInTheCharsetOfItsPage(t *testing.T) {
	for _, row := range []struct{ charset, query, want string }{
		{"", "caf\u00e9", "caf%C3%A9"},
		{"utf-8", "caf\u00e9", "caf%C3%A9"},
		{"utf-16le", "caf\u00e9", "caf%C3%A9"},
		{"utf-16be", "caf\u00e9", "caf%C3%A9"},
		{"replacement", "caf\u00e9", "caf%C3%A9"},
		{"no-such-charset", "caf\u00e9", "caf%C3%A9"},
		{"windows-1252", "caf\u00e9 'x'|", "caf%E9%20%27x%27|"},
		{"windows-1252", "\u4e2d\U0001f600", "%26%2320013%3B%26%23128512%3B"},
		{"windows-1251", "\u0456", "%B3"},
		{"gbk", "k=\u4e2d\u20ac", "k=%D6%D0%80"},
		{"gbk", "k=%D6%D0", "k=%D6%D0"}, // S-H5: not encoded again
		{"gbk", "k=%D6%D0\u4e2d%e4", "k=%D6%D0%D6%D0%e4"},
		{"gb18030", "\U0001f600", "%949%FC6"},
		{"big5", "\u4e2d", "%A4%A4"},
		{"big5", "\u00e9", "%26%23233%3B"}, // of Hong Kong's extension, which is only read
		{"euc-kr", "\ud55c", "%C7%D1"},
		{"shift_jis", "\u65e5\u672c\u00a5\u203e\u2212\uff71", "%93%FA%96{\\~%81|%B1"},
		{"euc-jp", "\u65e5\u00e9\u00a5", "%C6%FC%26%23233%3B\\"}, // JIS X 0212 is only read
		{"iso-2022-jp", "a\u65e5\u672cb\u65e5", "a%1B$BF|K\\%1B(Bb%1B$BF|%1B(B"},
		{"iso-2022-jp", "\uff71\uff9f", "%1B$B%%22!,%1B(B"},
		{"iso-2022-jp", "\u65e5\U0001f600", "%1B$BF|%1B(B%26%23128512%3B"},
		{"iso-2022-jp", "\u203ex\U0001f600\x1b\\", "%1B(J~x%26%23128512%3B%26%2365533%3B%1B(B\\"},
		{"iso-2022-jp", "\u65e5\x0e\u65e5", "%1B$BF|%1B(B%26%2365533%3B%1B$BF|%1B(B"},
	} {
		base := URL{Request: "http://a.test/x/", Charset: row.charset}
		for prefix, request := range map[string]string{
			"?":                      "http://a.test/x/?",
			"y?":                     "http://a.test/x/y?",
			"//b.test?":              "http://b.test/?",
			"https://b.test/\u00e9?": "https://b.test/%C3%A9?", // a path is always UTF-8
		} {
			u, err := Standard{}.Normalize(&base, prefix+row.query)
			require.NoError(t, err)
			assert.Equal(t, request+row.want, u.Request, "%s %q", row.charset, prefix+row.query)
			assert.Empty(t, u.Charset, "nobody has read that page yet")
		}
	}
}

var legacy = []string{"windows-1252", "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "shift_jis", "iso-2022-jp", "koi8-r", "x-user-defined"}

// FuzzACharsetKeepsWhatWasWritten: whoever decodes the query reads what the page
// wrote, or the number of a character that the charset does not have.
func FuzzACharsetKeepsWhatWasWritten(f *testing.F) {
	for i := range legacy {
		f.Add(uint8(i), "a=\u4e2d\u00e9&b=\u65e5\u3042\uff71\U0001f600#x")
		f.Add(uint8(i), "\u203e\\\u00a5~\u2212\x0e\x1b\ue5e5%")
	}
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		charset := legacy[int(which)%len(legacy)]
		query, _, _ = strings.Cut(query, "#")
		base := URL{Request: "http://a.test/", Charset: charset}
		u, err := StandardExact{}.Normalize(&base, "?"+query)
		if err != nil {
			require.Equal(t, TooLong, err)
			t.Skip()
		}
		require.True(t, allIn(u.Request, &printable), "%q", u.Request)
		again, err := StandardExact{}.Normalize(&base, u.Request)
		require.NoError(t, err)
		require.Equal(t, u.Key, again.Key, "what is encoded stays")

		encoding, err := htmlindex.Get(charset)
		require.NoError(t, err)
		sent := strings.TrimPrefix(u.Request, "http://a.test/?")
		read, err := encoding.NewDecoder().String(percentDecode(strings.ReplaceAll(sent, "%26%23", "&#")))
		require.NoError(t, err)
		query = withoutBreaks(trimControls("?" + query))[1:]
		if strings.ContainsAny(query, "%&\u00a5\u203e\u2212\ufffd\x0e\x0f\x1b") || strings.ContainsFunc(query, halfWidth) {
			t.Skip() // what does not read as it was written, as the standard has it
		}
		for _, r := range strings.ToValidUTF8(query, "\ufffd") {
			if rest, ok := strings.CutPrefix(read, string(r)); ok {
				read = rest
				continue
			}
			rest, ok := strings.CutPrefix(read, "&#"+strconv.Itoa(int(r))+";")
			require.True(t, ok, "%s: %q is read as ...%q (%U)", charset, query, read, r)
			read = rest
		}
		require.Empty(t, read)
	})
}

func halfWidth(r rune) bool { return wide(r) != r }

var printable = printableWithout("")
