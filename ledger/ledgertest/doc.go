// Package ledgertest answers the question "does this crawl prove what it says?":
// it is a matrix of nine rows, as a kit of checks. Rows 3 to 8 can be asked of any
// paged result API that is a [ledger.Source]:
//
//	func TestMatrix(t *testing.T) {
//		ledgertest.Source(t, func(t *testing.T, j ledgertest.Job) (ledgertest.Subject, error) {
//			service := serve(t, j.Results, j.Ended)
//			return ledgertest.Subject{Source: service, Grow: service.add, Fault: service.spoil}, nil
//		})
//	}
//
// A [Job] is what the source has to show, a [Subject] the source and what can
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
