package ledgertest_test

import (
	"context"
	"fmt"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
)

// A source that calls offsets a unique order is caught by the row about results
// that are added between two pages, and by no other.
func ExampleSourceChecks() {
	open := func(j ledgertest.Job) (ledgertest.Subject, error) {
		source := honest(j) // pages by offset
		source.wrong.answer = func(_ *paper, _ ledger.PageRequest, page *ledger.Page) { page.Ordered = true }
		return source.subject(), nil
	}
	for _, check := range ledgertest.SourceChecks() {
		fmt.Printf("%v: %t\n", check, check.Run(open) == nil)
	}
	// Output:
	// row 3: each cursor of a frozen job leads on once, and the last one is empty: true
	// row 4: where a bound stops a walk, the first cursor that was not consumed survives: true
	// row 5: a page that fails makes no shorter dataset that looks whole: true
	// row 6: a cursor that leads to itself is a loop, and not waited for: true
	// row 7: results of one time that grow between two pages are neither doubled nor lost unseen: false
	// row 8: a job that ended badly is told as such, with the results that it has: true
}

// A whole dataset of a job that has finished is published.
func ExampleDataset() {
	var d ledgertest.Dataset
	receipt, err := ledger.Materialize(context.Background(), ledger.Export{From: frozen(ledgertest.Job{Results: 3, Ended: frontier.Finished}), To: &d})
	fmt.Println(receipt.Verdict, len(d.Rows()), d.Published(), err)
	// Output: complete 3 true <nil>
}
