// Package ledgertest answers the question "does this crawl prove what it says?":
// it is a matrix of nine rows, as a kit of checks.
//
//	1  Racing claims never cross the budget.
//	2  A poll is one bounded request, and walks no results.
//	3  Each cursor leads on once, and the last one is empty.
//	4  Where a bound stops a walk, the first cursor not consumed survives.
//	5  A page that fails makes no shorter dataset that looks whole.
//	6  A cursor that leads to itself is a loop.
//	7  Results that are added between two pages are neither doubled nor lost unseen.
//	8  A job that ended badly is told as such, with the results that it has.
//	9  What refuses a crawler changes neither who asks nor from where.
//
// Rows 3 to 8 can be asked of any paged result API that is a [ledger.Source]:
//
//	func TestMatrix(t *testing.T) {
//		ledgertest.Source(t, func(t *testing.T, j ledgertest.Job) (ledgertest.Subject, error) {
//			service := serve(t, j.Results, j.Ended)
//			return ledgertest.Subject{Source: service, Grow: service.add, Fault: service.spoil}, nil
//		})
//	}
//
// All nine can be asked of a whole crawler, over whatever store it has:
//
//	ledgertest.Crawler(t, func(t *testing.T, w *ledgertest.Wire) (ledgertest.Crawl, error) {
//		...
//	})
//
// A [Crawl] is what the kit does with the crawler, a [Plan] what it has to crawl:
// a web on loopback (fetch/fetchtest) whose log the kit reads afterwards. A [Wire]
// counts what a poll costs. A crawler is asked for rows 3 to 8 by the results of
// such a crawl.
//
// A [Job] is what a source has to show, a [Subject] the source and what can
// happen to the service behind it. A [Check] is one row and returns an error that
// says what was expected and what came. Each opens jobs of its own, walks them
// with [ledger.Materialize] into a [Dataset], and holds the receipt against what
// the job has.
//
// The kit guarantees that its rows bite: its own test runs each one against
// sources and crawlers that are built to break that row alone. A source that
// promises nothing, neither a frozen generation nor a unique order, passes too:
// what is asked of it is that no walk over it looks whole. How a source speaks to
// its service is left to its own tests.
package ledgertest
