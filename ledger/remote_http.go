package ledger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/header"
)

// An AnswerError is an answer of a service that has no page.
type AnswerError struct {
	Status  int
	Excerpt string // the beginning of its body, without what the request's secrets are
	Err     error
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the service has answered %d: %v: %q", e.Status, e.Err, e.Excerpt)
}

func (e *AnswerError) Unwrap() error { return e.Err }

// What an answer can be.
var (
	errNoJSON   = errors.New("it is no JSON object")
	errTooBig   = errors.New("it is larger than Remote.MaxBytes")
	errForHuman = fmt.Errorf("%w: it is a page for people, as of a login or a challenge", ErrRefused)
	errLater    = errors.New("it has no page now")
)

// get returns the JSON object at an address.
func (m *Remote) get(ctx context.Context, to *url.URL) ([]byte, error) {
	request := (&http.Request{Method: http.MethodGet, URL: to, Host: to.Host, Header: m.header()}).WithContext(ctx)
	response, err := m.client(to).Do(request)
	if err != nil {
		return nil, m.unreached(ctx, err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	limit := cmp.Or(m.MaxBytes, 64<<20)
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil && response.StatusCode/100 == 2 {
		return nil, m.unreached(ctx, err)
	}
	if err := judge(response, body, limit); err != nil {
		return nil, m.later(response, &AnswerError{response.StatusCode, m.excerpt(body), err})
	}
	return body, nil
}

// judge says what is wrong with an answer.
func judge(response *http.Response, body []byte, limit int64) error {
	switch code := response.StatusCode; {
	case response.Header.Get("Cf-Mitigated") == "challenge":
		return fmt.Errorf("%w: it is a challenge", ErrRefused)
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code >= 500:
		return errLater
	case code/100 != 2:
		return fmt.Errorf("%w: %s", ErrRefused, cmp.Or(http.StatusText(code), "status"))
	case int64(len(body)) > limit:
		return errTooBig
	case object(body):
		return nil
	case forPeople(response, body):
		return errForHuman
	}
	return errNoJSON
}

func object(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) && json.Valid(body)
}

func forPeople(response *http.Response, body []byte) bool {
	return strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") ||
		bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("<"))
}

// later is err, as a RetryError if the answer asks for time.
func (m *Remote) later(response *http.Response, err *AnswerError) error {
	if !errors.Is(err, errLater) {
		return err
	}
	if after, ok := header.RetryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
		return &RetryError{after, err}
	}
	return err
}

// unreached is why there is no answer, without the address, which may hold a key.
func (m *Remote) unreached(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if outer := (*url.Error)(nil); errors.As(err, &outer) {
		err = outer.Err
	}
	return m.discreet(err)
}

// maxRedirects is how many redirects one request follows.
const maxRedirects = 5

// client is Client, kept on the origin of the job.
func (m *Remote) client(origin *url.URL) *http.Client {
	c := http.Client{}
	if m.Client != nil {
		c = *m.Client
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if !sameOrigin(origin, r.URL) {
			return ownError{fmt.Errorf("%w: it redirects to %s, which is not where the job is", ErrRefused, m.quote(r.URL.Scheme+"://"+r.URL.Host))}
		}
		if len(via) > maxRedirects {
			return ownError{fmt.Errorf("more than %d redirects", maxRedirects)}
		}
		return nil
	}
	return &c
}

func (m *Remote) header() http.Header {
	h := m.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	for name, value := range map[string]string{"Accept": "application/json", "User-Agent": "weir"} {
		if h.Get(name) == "" {
			h.Set(name, value)
		}
	}
	return h
}
