package ledger

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// String prints the receipt as a table; of no run, as one that New has refused, it
// says so.
func (r Receipt) String() string {
	if r.Number == 0 && r.Verdict == "" {
		return "no run\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line("run\t%s: %s", r.name(), reasoned(r.Phase.String(), r.Reason))
	line("verdict\t%s: %s", r.Verdict, r.Why)
	if k := r.Rekeyed; k != nil {
		line("rekeyed\tfrom %s: %d of %d answers carried over", k.From, k.Carried, k.Answers)
	}
	for _, fault := range r.Faults {
		line("fault\t%s", fault)
	}
	line("budget\t%d of %d URLs%s, %s of %s, %s of %s", r.Used.URLs, r.Limit.URLs, r.moved(), size(r.Used.Bytes), size(r.Limit.Bytes),
		r.Used.Wall.Round(time.Millisecond), r.Limit.Wall)
	line("results\t%d of %d URLs, %d records; %d truncated, %d duplicate, %d missing",
		r.Results-r.Superseded, r.Admitted, r.Records, r.Truncated, r.Duplicates, r.Missing)
	section(line, "", r.states())
	section(line, "", r.Decided)
	section(line, "stopped by", r.Stops)
	_ = w.Flush() // to a strings.Builder, which cannot fail
	return b.String()
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
