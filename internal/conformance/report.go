package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printTable prints one line a suite, and below it every row that failed.
func printTable(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\tpassed\t%\t  suite")
	for _, r := range results {
		fmt.Fprintf(w, "%d\t%d\t%.2f\t  %s\n", r.Rows, r.Passed, percent(r), r.Suite)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		for _, f := range r.Failures {
			why := f.Accepted
			if why == "" {
				why = "NOT ACCEPTED"
			}
			if _, err := fmt.Fprintf(out, "\n%s %s: %s\n    %s\n", r.Suite, f.Row, f.What, why); err != nil {
				return err
			}
		}
	}
	return nil
}

func percent(r result) float64 {
	if r.Rows == 0 {
		return 100
	}
	return 100 * float64(r.Passed) / float64(r.Rows)
}
