package ledger

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/weircrawl/weir/frontier"
)

// String prints the receipt as a table; of no run, as one that New has refused, it
// says so.
func (r Receipt) String() string {
	if r.Number == 0 && r.Verdict == "" {
		return "no run\n"
	}
	var b strings.Builder
	line, flush := table(&b)
	r.head(line)
	if r.Number != 0 {
		r.account(line)
	} else {
		r.expected(line)
	}
	r.walked(line)
	section(line, "", r.states())
	section(line, "", r.Decided)
	section(line, "stopped by", r.Stops)
	flush()
	return b.String()
}

// table returns what prints one fact a line, with its cells between tabs, whatever
// stands in them: text of the web is among it.
func table(b *strings.Builder) (line func(format string, args ...any), flush func()) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	return func(format string, args ...any) { fmt.Fprintln(w, plain(fmt.Sprintf(format, args...))) },
		func() { _ = w.Flush() } // to a strings.Builder, which cannot fail
}

// plain spells out what a terminal would obey instead of showing it, and all
// that would begin another line.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// head prints what the receipt is of, and what it comes to.
func (r Receipt) head(line func(string, ...any)) {
	if r.Number != 0 {
		line("run\t%s: %s", r.name(), reasoned(r.Phase.String(), r.Reason))
	} else {
		line("job\t%s", cmp.Or(r.Phase.String(), "says nothing"))
	}
	line("verdict\t%s: %s", r.Verdict, r.Why)
	if k := r.Rekeyed; k != nil {
		line("rekeyed\tfrom %s: %d of %d answers carried over", k.From, k.Carried, k.Answers)
	}
	for _, fault := range r.Faults {
		line("fault\t%s", fault)
	}
	for _, poll := range r.Polls {
		line("poll\t%s", poll)
	}
}

// account prints what a run of ours has spent and has to show for it.
func (r Receipt) account(line func(string, ...any)) {
	line("budget\t%d of %d URLs%s, %s of %s, %s of %s", r.Used.URLs, r.Limit.URLs, r.moved(), size(r.Used.Bytes), size(r.Limit.Bytes),
		r.Used.Wall.Round(time.Millisecond), r.Limit.Wall)
	line("results\t%d of %d URLs, %d records; %d truncated, %d duplicate, %d missing",
		r.Results-r.Superseded, r.Admitted, r.Records, r.Truncated, r.Duplicates, r.Missing)
}

// expected prints what another source counts.
func (r Receipt) expected(line func(string, ...any)) {
	c := r.Expected
	line("expected\t%s identities: %s succeeded, %s failed, %s stopped by policy, %s skipped, %s unresolved",
		said(c.Expected), said(c.Succeeded), said(c.Failed), said(c.Stopped), said(c.Skipped), said(c.Unresolved))
	line("results\t%d; %d superseded, %d duplicate, %d missing", r.Results, r.Superseded, r.Duplicates, r.Missing)
}

// said prints a count, or that the source says nothing.
func said(n int64) string {
	if n < 0 {
		return "?"
	}
	return fmt.Sprint(n)
}

// walked prints the pages in one line, and how to go on where they end early.
func (r Receipt) walked(line func(string, ...any)) {
	if r.Generation != "" {
		line("generation\t%s, frozen %s", r.Generation, when(r.Frozen))
	}
	retries := 0
	for _, p := range r.Pages {
		retries += p.Retries
	}
	line("walk\t%s, %s, %s, %s", count(int64(len(consumed(r.Pages))), "page"), count(r.Results, "result"), size(r.Bytes), tries(retries))
	if r.CutOff != "" {
		line("cut off\t%s", r.facts().ended())
		if r.CutOff != CursorLoop { // which leads nowhere
			line("goes on\t%s", r.goesOn())
		}
	}
}

func (r Receipt) goesOn() string {
	if r.Next == "" {
		return "at the start"
	}
	return "at cursor " + clip(string(r.Next))
}

func when(t time.Time) string {
	if t.IsZero() {
		return "at a time that is not said"
	}
	return t.UTC().Format(time.RFC3339)
}

func tries(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return fmt.Sprintf("%d retries", n)
}

// moved says how many URLs stand in the slot of another that redirected to them.
func (r Receipt) moved() string {
	if n := r.Admitted - r.Used.URLs; n > 0 {
		return fmt.Sprintf(" and %d by redirect", n)
	}
	return ""
}

func (r Receipt) name() string {
	if r.Run == "" {
		return fmt.Sprint(r.Number)
	}
	return r.Run
}

// states lists terminal and unresolved URLs in the order of a URL's life.
func (r Receipt) states() []frontier.Tally {
	var list []frontier.Tally
	for _, state := range frontier.States {
		for _, t := range append(r.Unresolved[:len(r.Unresolved):len(r.Unresolved)], r.Reasons...) {
			if t.State == state {
				list = append(list, t)
			}
		}
	}
	return list
}

func section(line func(string, ...any), title string, tallies []frontier.Tally) {
	for _, t := range tallies {
		word, example := title, t.Example
		switch {
		case t.Decision != 0:
			word, example = t.Decision.String(), cmp.Or(example, `""`) // the empty reference
		case t.State != 0:
			word = t.State.String()
		}
		line("  %s\t%d\t%s", label(word, t.Reason), t.Count, cmp.Or(example, "-"))
	}
}

func label(word string, why frontier.Reason) string {
	if why == "" || string(why) == word {
		return word
	}
	return word + " {" + string(why) + "}"
}

func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
