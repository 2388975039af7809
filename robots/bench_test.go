package robots

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/temoto/robotstxt"
)

// benchFile is a file of n rules for everybody: in a usual one a tenth of them
// has wildcards.
func benchFile(n int) []byte {
	var b strings.Builder
	b.WriteString("# robots.txt of a shop\nUser-agent: *\nCrawl-delay: 1\n")
	for i := range n {
		switch i % 10 {
		case 9:
			fmt.Fprintf(&b, "Disallow: /*?sort=%d\n", i)
		case 4:
			fmt.Fprintf(&b, "Allow: /section-%d/open/\n", i)
		default:
			fmt.Fprintf(&b, "Disallow: /section-%d/\n", i)
		}
	}
	b.WriteString("\nUser-agent: otherbot\nDisallow: /\n\nSitemap: https://a.example/sitemap.xml\n")
	return []byte(b.String())
}

const (
	benchAgent = "WeirBot/1.0 (+https://a.example/bot)"
	benchURL   = "https://a.example/articles/2024/a-fine%20day.html?page=2"
	benchPath  = "/articles/2024/a-fine%20day.html?page=2"
)

// beside measures ours as the benchmark and theirs between its rounds, and
// reports how many times longer theirs takes.
func beside(b *testing.B, ours, theirs func()) {
	const every = 64
	var spent time.Duration
	var rounds, n int
	for b.Loop() {
		ours()
		if n++; n%every == 1 && spent < time.Second {
			b.StopTimer()
			start := time.Now()
			theirs()
			spent += time.Since(start)
			rounds++
			b.StartTimer()
		}
	}
	own := float64(b.Elapsed()) / float64(n)
	b.ReportMetric(float64(spent)/float64(rounds)/own, "temoto/ours")
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 22_000} {
		body := benchFile(n)
		b.Run(fmt.Sprintf("rules=%d/bytes=%d", n, len(body)), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			beside(b, func() { Parse(body) }, func() { _, _ = robotstxt.FromBytes(body) })
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			benchDecide(b, benchFile(n), benchAgent, benchURL, benchPath)
		})
	}
	long := "/" + strings.Repeat("a", 2<<10)
	for _, row := range []struct{ name, line string }{
		{"stars", "Disallow: /" + strings.Repeat("*a", 60) + "*b$\n"},
		{"rules=1000", strings.Repeat("Disallow: /*aaaaaaab\n", 1000)},
	} {
		b.Run("bomb/"+row.name, func(b *testing.B) {
			benchDecide(b, []byte("User-agent: *\n"+row.line), benchAgent, "https://a.example"+long, long)
		})
	}
}

func benchDecide(b *testing.B, body []byte, agent, url, path string) {
	rules := Parse(body)
	theirs, err := robotstxt.FromBytes(body)
	require.NoError(b, err)
	b.ReportAllocs()
	beside(b, func() { rules.Decide(agent, url) }, func() { theirs.TestAgent(path, agent) })
}
