package frontier

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Rekeyed is what a Rekey has come to.
type Rekeyed struct {
	Run        string `json:"run"`
	From       string `json:"from"`
	Normalizer string `json:"normalizer"` // version of Run's
	Was        string `json:"was"`        // version of From's
	Done       bool   `json:"done"`       // Run may be crawled

	Read  int64 `json:"read"`  // references of From that are dealt with
	Total int64 `json:"total"` // references that From has observed

	Admitted   int64 `json:"admitted"` // by Run, at its end
	Duplicates int64 `json:"duplicates"`
	Limited    int64 `json:"limited"` // held back by a bound
	Stopped    int64 `json:"stopped"` // held back by a rule

	Answers int64 `json:"answers"` // final answers of From
	Carried int64 `json:"carried"` // of them, taken over
	Spare   int64 `json:"spare"`   // of them, of an identity that has one already
	Asked   int64 `json:"asked"`   // of them, refused or failed, or of a URL that is not admitted as such: not taken over

	Merged   int64    `json:"merged"` // references that were admitted, and are duplicates now
	Split    int64    `json:"split"`  // references that were duplicates, and are admitted now
	MergedAs []Merger `json:"merged_as,omitempty"`
	SplitOff []string `json:"split_off,omitempty"` // their URLs; the first 8
}

// A Merger is an example of two identities that became one.
type Merger struct {
	URL  string `json:"url"`
	Into string `json:"into"`
}

// maxExamples is how many examples of each kind a Rekeyed has.
const maxExamples = 8

// String prints k as a table for people.
func (k Rekeyed) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line("rekeyed\t%s as %s%s", k.From, k.Run, k.unfinished())
	line("normalizer\t%s, was %s", k.Normalizer, k.Was)
	line("references\t%d of %d: %d admitted, %d duplicate, %d held back by a bound, %d by a rule",
		k.Read, k.Total, k.Admitted, k.Duplicates, k.Limited, k.Stopped)
	line("answers\t%d of %d carried over, %d spare, %d to be asked for again", k.Carried, k.Answers, k.Spare, k.Asked)
	line("merged\t%d", k.Merged)
	for _, m := range k.MergedAs {
		line("\t%s into %s", m.URL, m.Into)
	}
	line("split\t%d", k.Split)
	for _, url := range k.SplitOff {
		line("\t%s", url)
	}
	_ = w.Flush() // to a strings.Builder, which cannot fail
	return b.String()
}

// unfinished says what is to be done with a run that is half rekeyed.
func (k Rekeyed) unfinished() string {
	if k.Done {
		return ""
	}
	return ", unfinished: call Rekey again, or open it"
}
