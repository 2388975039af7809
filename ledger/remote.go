package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Remote is the results of a job of another crawl service, which serves them as
// JSON over HTTP, a page at a time. It is a [Source]; of [Fields] it knows where in
// an answer everything stands. This shape needs no configuration but the URL:
//
//	{"success":true,"status":"completed","total":2,"next":"https://…/crawl/7?skip=100",
//	 "data":[{"id":"a",…},{"id":"b",…}]}
//
// It asks only the origin of URL, whatever a next page or a redirect says, and
// always as the same client: where the service wants a login, denies or challenges,
// the page wraps [ErrRefused] and is not asked for again. Where the service asks for
// time (429, 503 with Retry-After) the error is a *[RetryError]. What came over the
// wire and is no good is an *[AnswerError]. A Remote that cannot work as it is
// configured is a *[ConfigError], before anything is asked for.
//
// # Secrets
//
// Any value of Header, but for Accept and User-Agent, and any in the query of URL may
// be a key. In errors, and with them in receipts, [redacted] stands in place of each,
// and of each word of a header but the scheme of an Authorization: wherever a value of
// 4 bytes or more stands in a text of the service, and where a shorter one stands as
// a whole word. A cursor has a parameter that is as in URL by its name alone. A next page, or
// a generation, is refused whose name holds a header's value of 8 bytes or more, or one of 4
// or more as a whole word, or a value of the query of 8 or more under another name;
// shorter ones are in any number, and stay. What a service gives as an ID or as a
// record is the dataset, and stands there as it is.
//
// To go on after a stop it asks for the first page once more, for what the service
// says of its job by now.
type Remote struct {
	URL    string       // of the first page; http or https
	Header http.Header  // sent with every request: an API key, a User-Agent
	Client *http.Client // makes the requests; default: http.DefaultTransport; its CheckRedirect is not used
	Fields Fields

	// Ordered says that the service's order is total and unique, and stays: a cursor
	// stands for one place whatever is added. Only its documentation can tell. Without
	// it, and without Fields.Generation, a dataset is partial_unstable at best.
	Ordered bool

	MaxBytes int64         // of one answer; default 64 MiB
	Timeout  time.Duration // of one answer; default 1 min

	last *answer // the part of an answer that was not given yet may be asked for next
}

var _ Source = (*Remote)(nil)

// A RetryError is a page that can be had later: its source asks to be left alone
// for After. Whoever asks earlier does what it was asked not to do.
type RetryError struct {
	After time.Duration
	Err   error
}

func (e *RetryError) Error() string { return fmt.Sprintf("%v; ask again after %s", e.Err, e.After) }

func (e *RetryError) Unwrap() error { return e.Err }

// An answer is what the service has said, once.
type answer struct {
	place   place // where it was asked for
	head    Page
	results []Result
	next    *place // nil at the end
}

// Page returns the next results. An answer with more than r asks for is given in
// parts.
func (m *Remote) Page(ctx context.Context, r PageRequest) (Page, error) {
	base, err := m.check()
	if err != nil {
		return Page{}, err
	}
	page, err := m.page(ctx, base, r.WithDefaults())
	if err != nil {
		return Page{}, fmt.Errorf("ledger: remote: %w", err)
	}
	return page, nil
}

func (m *Remote) page(ctx context.Context, base *url.URL, r PageRequest) (Page, error) {
	at, err := placeOf(base, r.After)
	if err != nil {
		return Page{}, err
	}
	a := m.last
	if a == nil || !a.place.same(at) || at.Skip == 0 {
		if a, err = m.ask(ctx, base, at, r); err != nil {
			return Page{}, err
		}
	}
	m.last = nil
	if at.Generation != "" && a.head.Generation != at.Generation {
		return Page{}, fmt.Errorf("%w: it is of %s, the service gives %s", ErrCursor, generation(at.Generation), generation(a.head.Generation))
	}
	if at.Skip > len(a.results) {
		return Page{}, fmt.Errorf("%w: it skips %d results of %d", ErrCursor, at.Skip, len(a.results))
	}
	return m.part(base, a, at, r), nil
}

// part is as much of a, from at on, as r asks for.
func (m *Remote) part(base *url.URL, a *answer, at place, r PageRequest) Page {
	page, end, size := a.head, at.Skip, int64(0)
	for end < len(a.results) && end-at.Skip < r.Records {
		if size += a.results[end].size(); size > r.Bytes && end > at.Skip {
			break
		}
		end++
	}
	page.Results = a.results[at.Skip:end:end]
	switch {
	case end < len(a.results):
		m.last = a
		rest := a.place
		rest.Skip, rest.Generation = end, a.head.Generation
		page.Next = rest.cursor(base)
	case a.next != nil:
		page.Next = a.next.cursor(base)
	}
	return page
}

// ask makes one request and reads the answer.
func (m *Remote) ask(ctx context.Context, base *url.URL, at place, r PageRequest) (*answer, error) {
	to := at.url(base, m.Fields)
	if m.Fields.Limit != "" && at.Next == "" {
		query := to.Query()
		query.Set(m.Fields.Limit, strconv.Itoa(r.Records))
		to.RawQuery = query.Encode()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(m.Timeout, time.Minute), errSlow)
	defer cancel()
	body, err := m.get(ctx, to)
	if err != nil {
		return nil, err
	}
	a, next, err := reading{m.Fields.withDefaults(), m.quote}.read(body)
	if err != nil {
		return nil, err
	}
	if m.tells(a.head.Generation) {
		return nil, fmt.Errorf("%w: the generation's name holds a credential of the request, and a receipt would show it", ErrRefused)
	}
	a.place, a.head.Ordered = place{Next: at.Next, Same: at.Same}, m.Ordered
	if next != "" {
		a.next, err = m.next(base, to, next, a.head.Generation)
	}
	return a, err
}

var errSlow = errors.New("no whole answer in time")
