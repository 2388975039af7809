package robots

import (
	"context"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/urlnorm"
)

// maxHops is how many redirects are followed (RFC 9309, section 2.3.1.2).
const maxHops = 5

// Fetch asks origin for its /robots.txt and follows redirects, also to other
// hosts. Each exchange goes through do, which is the Do of a fetch.Client, or may
// refuse it, count it and keep it first. A failure is a Record, too. It never tries twice.
func Fetch(ctx context.Context, do func(context.Context, fetch.Request) fetch.Response, origin urlnorm.Origin) Record {
	r := Record{Origin: origin, Parser: Parser}
	at := urlnorm.URL{Request: string(origin) + "/robots.txt"}
	for {
		response := do(ctx, fetch.Request{URL: at.Request, Limit: MaxBody + 1})
		r.take(response)
		if response.Class != fetch.Redirected || len(r.Hops) == maxHops {
			return r
		}
		next, err := urlnorm.StandardExact{}.Normalize(&at, response.Location)
		if err != nil {
			return r
		}
		at = next
		r.Hops = append(r.Hops, at.Request)
	}
}

// take makes response the last one.
func (r *Record) take(response fetch.Response) {
	r.Status, r.Class, r.Err = response.Status, response.Class, response.Err
	r.Fetched, r.Expires = response.Start, response.Start
	r.Truncated, r.Undecoded, r.RetryAfter = response.Truncated, response.Undecoded, response.RetryAfter
	r.Bytes += int64(len(response.Body))
	if r.Body = response.Body; !r.parsed() {
		r.Body = nil
	}
	if !r.unreachable() {
		r.Expires = r.Fetched.Add(lifetime(response.Header, response.Start))
	}
}
