package ledger

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A place is where a result of a remote service is: what the service says is next,
// and how many results of that answer were given. Its cursor has no secret of the
// request: of a next URL, it has no origin, and of parameters that the first URL has
// likewise, only the names.
type place struct {
	Next       string   `json:"next,omitempty"` // a path and query, or a token; empty: the first page
	Same       []string `json:"same,omitempty"` // parameters that are as in the first URL
	Skip       int      `json:"skip,omitempty"`
	Generation string   `json:"generation,omitempty"`
}

// same reports whether p and q are in one answer.
func (p place) same(q place) bool { return p.Next == q.Next && slices.Equal(p.Same, q.Same) }

// cursor writes p for later, with a mark of whose it is.
func (p place) cursor(base *url.URL) Cursor {
	text, err := json.Marshal(p)
	if err != nil {
		panic("ledger: a place is no JSON: " + err.Error()) // texts and a number
	}
	return Cursor(base64.RawURLEncoding.EncodeToString(text) + "." + mark(base, text))
}

// mark tells cursors of one URL from those of another, and from damaged ones.
func mark(base *url.URL, text []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s://%s%s\n%s", base.Scheme, base.Host, base.EscapedPath(), text))
	return hex.EncodeToString(sum[:4])
}

// placeOf reads a cursor.
func placeOf(base *url.URL, c Cursor) (p place, err error) {
	if c == "" {
		return p, nil
	}
	coded, sum, _ := strings.Cut(string(c), ".")
	text, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || sum != mark(base, text) || json.Unmarshal(text, &p) != nil || p.Skip < 0 {
		return place{}, fmt.Errorf("%w: it is damaged, or another service's", ErrCursor)
	}
	return p, nil
}

// url is the address of p's answer.
func (p place) url(base *url.URL, f Fields) *url.URL {
	to := *base
	switch {
	case p.Next == "":
	case f.Token != "":
		query := to.Query()
		query.Set(f.Token, p.Next)
		to.RawQuery = query.Encode()
	default:
		if next, err := base.Parse(p.Next); err == nil {
			to = *next
			to.Scheme, to.Host, to.User = base.Scheme, base.Host, nil // a path that begins with // names a host
		}
		if query, mine := to.Query(), base.Query(); len(p.Same) > 0 {
			for _, name := range p.Same {
				query[name] = mine[name]
			}
			to.RawQuery = query.Encode()
		}
	}
	return &to
}

// next is the place that an answer from the given address leads on to.
func (m *Remote) next(base, from *url.URL, next, generation string) (*place, error) {
	p := place{Next: next, Generation: generation}
	if m.Fields.Token == "" {
		to, err := from.Parse(next)
		if err != nil {
			return nil, invalid("the next page has no URL, and no Fields.Token says that it is a token")
		}
		if !sameOrigin(base, to) {
			return nil, fmt.Errorf("%w: the next page is at %s, which is not where the job is", ErrRefused, m.quote(to.Scheme+"://"+to.Host))
		}
		p.Next, p.Same = relative(base, to)
	}
	if m.tells(p.Next) {
		return nil, fmt.Errorf("%w: the next page's address holds a credential of the request, and a receipt would show it", ErrRefused)
	}
	return &p, nil
}

// relative is to without its origin, and without the parameters that base has.
func relative(base, to *url.URL) (next string, same []string) {
	query, mine := to.Query(), base.Query()
	for name, values := range query {
		if slices.Equal(values, mine[name]) {
			same = append(same, name)
			delete(query, name)
		}
	}
	slices.Sort(same)
	next = "/" + strings.TrimLeft(to.EscapedPath(), "/")
	switch {
	case len(same) == 0 && to.RawQuery != "":
		next += "?" + to.RawQuery
	case len(query) > 0:
		next += "?" + query.Encode()
	}
	return next, same
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b) && b.User == nil
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
