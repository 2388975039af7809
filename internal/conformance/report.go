package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printTable prints one line a suite, and below it every row that failed.
func printTable(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\tpassed\t%\tskipped\t  suite")
	for _, r := range results {
		fmt.Fprintf(w, "%d\t%d\t%s\t%d\t  %s\n", r.Rows, r.Passed, percent(r), r.Skipped, r.Suite)
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

// percent is the part of the rows that passed, if there are any.
func percent(r result) string {
	if r.Rows == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100*float64(r.Passed)/float64(r.Rows))
}
