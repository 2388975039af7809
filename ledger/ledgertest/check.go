package ledgertest

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// A Check is one row of the matrix, over a source (S is OpenSource) or over a
// whole crawler (S is OpenCrawler).
type Check[S any] struct {
	Row  int    // of the matrix, 1 to 9
	Name string // the row as a sentence
	run  func(t *trial, open S)
}

// patience bounds one check: a source that needs longer waits for ever.
const patience = 2 * time.Minute

// Run tells what the subjects that open opens do otherwise than the row says.
func (c Check[S]) Run(open S) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	t := &trial{ctx: ctx}
	defer func() {
		t.end()
		if p := recover(); p != nil && p != any(t) {
			panic(p)
		}
		if t.failure != "" {
			err = fmt.Errorf("row %d, %s: %s", c.Row, c.Name, t.failure)
		}
	}()
	c.run(t, open)
	return nil
}

// String names the row.
func (c Check[S]) String() string { return fmt.Sprintf("row %d: %s", c.Row, c.Name) }

// A trial is one run of one check. It is a require.TestingT that stops the check
// at the first thing that does not hold.
type trial struct {
	ctx     context.Context // lives as long as one check
	ends    []func()
	failure string
}

// Errorf implements require.TestingT.
func (t *trial) Errorf(format string, args ...any) {
	t.failure += fmt.Sprintf(format, args...)
}

// FailNow implements require.TestingT: Run recovers t.
func (t *trial) FailNow() { panic(t) }

// atEnd calls do when the trial is over.
func (t *trial) atEnd(do func()) { t.ends = append(t.ends, do) }

func (t *trial) end() {
	for i := len(t.ends) - 1; i >= 0; i-- {
		t.ends[i]()
	}
}

// Source runs rows 3 to 8 of the matrix over the sources that open opens.
func Source(t *testing.T, open func(t *testing.T, j Job) (Subject, error)) {
	t.Helper()
	for _, c := range SourceChecks() {
		t.Run(c.String(), func(t *testing.T) {
			if err := c.Run(func(j Job) (Subject, error) { return open(t, j) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// SourceChecks returns the rows of the matrix that any source can be asked for.
func SourceChecks() []Check[OpenSource] {
	return []Check[OpenSource]{
		{3, "each cursor of a frozen job leads on once, and the last one is empty", advances},
		{4, "where a bound stops a walk, the first cursor that was not consumed survives", stops},
		{5, "a page that fails makes no shorter dataset that looks whole", fails},
		{6, "a cursor that leads to itself is a loop, and not waited for", loops},
		{7, "results of one time that grow between two pages are neither doubled nor lost unseen", grows},
		{8, "a job that ended badly is told as such, with the results that it has", ends},
	}
}
