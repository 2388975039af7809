package weir

import (
	"errors"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
)

// ReasonIncomplete is why a response whose end is missing is tried again.
const ReasonIncomplete frontier.Reason = "incomplete"

// outcome settles l with what r counts as: the one place where classes of
// exchanges become outcomes of URLs. attempts is the bound of the budget.
func outcome(l frontier.Lease, r fetch.Response, e frontier.Evidence, attempts int) frontier.Completion {
	why := frontier.Reason(r.Class)
	last := l.Attempt >= attempts
	switch c := r.Class; {
	case c == fetch.Fetched && cutShort(r) && !last:
		return l.Retry(ReasonIncomplete, 0, e)
	case c == fetch.Fetched:
		return l.Fetched(e)
	case c == fetch.Unchanged:
		return l.Unchanged(e)
	case c == fetch.Redirected:
		return l.Redirected(r.Location, e)
	case c == fetch.Missing:
		return l.Missing(e)
	case c == fetch.Busy:
		return l.Busy(why, r.RetryAfter, e)
	case c == fetch.Cancelled:
		return l.Release(why)
	case c == fetch.DNS && errors.Is(r.Err, fetch.ErrNoHost) && l.Attempt > 1:
		return l.Failed(why, e) // it was confirmed
	case c.Refused():
		return l.Refused(why, e)
	case c.Retry():
		return l.Retry(why, r.RetryAfter, e)
	}
	return l.Failed(why, e)
}

// cutShort reports whether the rest of the body may come another time: it is not
// the crawler's own bound that cut it.
func cutShort(r fetch.Response) bool {
	return r.Truncated == fetch.TruncatedTime || r.Truncated == fetch.TruncatedDisconnect
}

// evidence is what the ledgers keep of r.
func evidence(r fetch.Response, parser string) frontier.Evidence {
	e := frontier.Evidence{
		Status: r.Status, Bytes: int64(len(r.Body)), Latency: r.Latency,
		ETag: r.Header.Get("ETag"), LastModified: r.Header.Get("Last-Modified"),
		Parser: parser, Truncated: r.Truncated, Detail: r.Defect,
	}
	switch {
	case r.Err != nil:
		e.Detail = r.Err.Error()
	case r.Mark != "":
		e.Detail = r.Mark
	}
	return e
}
