package links

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are pages made to cost more than their bytes. Each is of about n bytes,
// and ends in a link to "last" that has to be found unless what was kept before it
// has reached a bound.
var hostile = map[string]struct {
	page   func(n int) string
	kept   int  // links, also in a page of 10 MB
	beyond bool // more references than are kept
	hidden bool // no link follows
}{
	"a million links":                  {page: repeated("<a href=x>", ""), kept: 5000, beyond: true},
	"a million encoded links":          {page: repeated("<a href=x&amp;y>", ""), kept: 5000, beyond: true},
	"long links":                       {page: repeated("<a href='"+strings.Repeat("x", 1000)+"'>", ""), kept: 1048 + 1, beyond: true},
	"attributes of one tag":            {page: repeated("a=b ", "<p ", ">"), kept: 1},
	"different attributes of one tag":  {page: numbered("<a ", " a%d=&amp;x ", ">"), kept: 1},
	"attributes that refer":            {page: repeated("href=x ", "<a ", ">"), kept: 2},
	"one attribute":                    {page: repeated("x", `<a title="`, `">`), kept: 1},
	"one reference":                    {page: repeated("x", `<a href="`, `">`), kept: 2},
	"one data: URL":                    {page: repeated("A", `<img src="data:image/png;base64,`, `">`), kept: 2},
	"a million nested divs":            {page: repeated("<div>", ""), kept: 1},
	"a million nested tables":          {page: repeated("<table><td>", ""), kept: 1},
	"a million nested svgs":            {page: repeated("<svg><desc>", ""), kept: 1},
	"a million templates":              {page: repeated("<template>", ""), hidden: true},
	"nested a elements in tables":      {page: repeated("<a href=x><table><td>", ""), kept: 5000, beyond: true},
	"an open comment":                  {page: repeated("<!-- >", ""), hidden: true},
	"a comment":                        {page: repeated("<!-- >", "", "-->"), kept: 1},
	"comments":                         {page: repeated("<!--->", ""), kept: 1},
	"a srcset":                         {page: repeated("a,b 2x,", `<img srcset="`, `">`), kept: 5000, beyond: true},
	"a srcset of bad descriptors":      {page: repeated("a 1x 1x 1x,", `<img srcset="`, `">`), kept: 1},
	"a srcset of one candidate":        {page: repeated(" 1h", `<img srcset="a`, `">`), kept: 1},
	"a srcset of parentheses":          {page: repeated("(, ", `<img srcset="a `, `">`), kept: 1},
	"a srcset of references":           {page: repeated("a&amp;b 2x, ", `<img srcset="`, `">`), kept: 5000, beyond: true},
	"character references of one link": {page: repeated("&gt;", `<a href="`, `">`), kept: 2},
	"character references of a text":   {page: repeated("&gt; ", "<a href=x>"), kept: 2},
	"a text in many parts":             {page: repeated("x<b>", "<a href=x>"), kept: 2},
	"references that are none":         {page: repeated("&notit;&#x110000;&", `<a href="`, `">`), kept: 2},
	"pings":                            {page: repeated("a ", `<a ping="`, `">`), kept: 5000, beyond: true},
	"one refresh":                      {page: repeated("9", `<meta http-equiv=refresh content="`, `;url=x">`), kept: 2},
	"refreshes":                        {page: repeated("<meta http-equiv=refresh content=0>", ""), kept: 5000, beyond: true},
	"robots":                           {page: repeated("NOFOLLOWS,", `<meta name=robots content="`, `">`), kept: 1},
	"different robots":                 {page: numbered("", "<meta name=robots content=a%d>", ""), kept: 1},
	"rels":                             {page: repeated("next ", `<link href=x rel="`, `">`), kept: 2},
	"open tags":                        {page: repeated("<", ""), kept: 1},
	"unfinished tags":                  {page: repeated("<b a='x' ", "", ">"), kept: 1},
	"ends that are none":               {page: repeated("</titl", "<title>", "</title>"), kept: 1},
	"a script":                         {page: repeated("<!--<", "<script>", "--></script>"), kept: 1},
	"CDATA":                            {page: repeated("<![CDATA[]]", "<svg>", "]]>"), kept: 1},
	"zeros":                            {page: repeated("\x00", "<a href=x>"), kept: 2},
}

// repeated makes pages of one text, and of what goes before and behind.
func repeated(text, before string, behind ...string) func(int) string {
	return func(n int) string {
		return before + strings.Repeat(text, n/len(text)) + strings.Join(behind, "")
	}
}

// numbered makes pages of one text with a growing number.
func numbered(before, format, behind string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(before)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String() + behind
	}
}

const last = "<a href=last>"

func TestHostilePagesTakeBoundedMemory(t *testing.T) {
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			size := 10 << 20
			if raced {
				size = 2 << 20
			}
			body := []byte(c.page(size) + last)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := Extract(body, Options{})
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
			assert.Equal(t, c.beyond, got.Beyond > 0)
			if c.hidden {
				assert.Empty(t, got.Links)
				return
			}
			require.Equal(t, c.kept, len(got.Links))
			if !c.beyond {
				assert.Equal(t, "last", got.Links[c.kept-1].Observed)
			}
		})
	}
}

func TestHostilePagesTakeLinearTime(t *testing.T) {
	const small, factor = 32 << 10, 8
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			one, many := fastest(c.page(small)), fastest(c.page(factor*small))
			assert.Less(t, many, 4*factor*max(one, 20*time.Microsecond), "8 times the page: 64 times the time would be quadratic")
		})
	}
}

// fastest is the least that a page takes of several times.
func fastest(page string) time.Duration {
	body, least := []byte(page), time.Hour
	for range 5 {
		start := cpuTime()
		Extract(body, Options{})
		least = min(least, cpuTime()-start)
	}
	return least
}
