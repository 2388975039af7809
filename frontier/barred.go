package frontier

import (
	"fmt"

	"github.com/weircrawl/weir/internal/pathmatch"
	"github.com/weircrawl/weir/urlnorm"
)

// A BarredError is returned by Sent where the policy or the scope has changed since
// the lease was granted: its origin is paused, or its URL is disallowed or out of
// scope now. Nothing was noted. The request must not be made: settle the lease with
// Release(Reason), which is no attempt.
type BarredError struct {
	URL    string
	Reason Reason // paused, disallowed or scope, with what says so behind a colon
	Policy string // version that was asked
}

func (e *BarredError) Error() string {
	return fmt.Sprintf("frontier: %s may not be requested any more: %s (policy %s); release its lease", e.URL, e.Reason, e.Policy)
}

// barred asks the policy and the scope once more, just before a request.
func (f *Frontier) barred(l Lease) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("sent %s: %w: the policy panics: %v", l.URL, ErrInternal, v)
		}
	}()
	p, why := f.policy(l.Origin), Reason("")
	switch {
	case p.Paused != "":
		why = cleanReason(ReasonPaused + ": " + Reason(p.Paused))
	case l.Gate:
	case !f.Takes(urlnorm.URL{Request: l.URL, Key: l.Key, Origin: l.Origin}):
		why = ReasonLeftScope
	case len(p.Disallow) > 0:
		why = disallowed(pathmatch.NewSet(p.Disallow), l.URL, l.Key.Text)
	}
	if why == "" {
		return nil
	}
	return &BarredError{URL: l.URL, Reason: why, Policy: p.Version}
}

// disallowed is why a set of patterns forbids a URL; empty: it does not.
func disallowed(patterns pathmatch.Set, request, key string) Reason {
	if patterns.Empty() {
		return ""
	}
	r, k := targets(request, key)
	if text, is := patterns.Match(r, k); is {
		return cleanReason(ReasonDisallowed + ": " + Reason(text))
	}
	return ""
}

// disallowed is why p, which is o's, forbids a URL. It reads an origin's patterns
// once a group.
func (t *tx) disallowed(p Policy, o urlnorm.Origin, request, key string) Reason {
	if len(p.Disallow) == 0 {
		return ""
	}
	patterns, known := t.disallow[o]
	if !known {
		if t.disallow == nil {
			t.disallow = map[urlnorm.Origin]pathmatch.Set{}
		}
		patterns = pathmatch.NewSet(p.Disallow)
		t.disallow[o] = patterns
	}
	return disallowed(patterns, request, key)
}

// bar ends a URL whose turn has come and which may not be requested any more. It
// reports whether it did; its origin then stands behind the others.
func (t *tx) bar(o *origin, u *urlRow) (bool, error) {
	p, why := t.policyOf(o), Reason("")
	if t.f.takes(urlnorm.URL{Request: u.url, Key: u.key, Origin: o.text}) {
		why = t.disallowed(p, o.text, u.url, u.key.Text)
	} else {
		why = ReasonLeftScope
	}
	if why == "" {
		return false, nil
	}
	e := u.entry(Refuse, why, p.Version)
	e.ready, e.stored = 0, nil
	t.result(&Completion{Outcome: OutcomeRefused}, u, o, e, Refused)
	err := t.do(e)
	t.f.rouse(o, t.now)
	return true, err
}

// barFirst is bar for the URL that an origin's gate would be asked for: nothing is
// requested of an origin, not even its robots.txt, for what may not be requested.
func (t *tx) barFirst(o *origin) (bool, error) {
	u, _, err := t.pick(o)
	if err != nil || u == nil {
		return false, err
	}
	barred, err := t.bar(o, u)
	if err == nil && !barred {
		t.unpick(o, u)
	}
	return barred, err
}

// unpick puts back what pick has taken in order.
func (t *tx) unpick(o *origin, u *urlRow) {
	if u.ready != 0 {
		return // it has stayed in its ready row
	}
	class := classOf(u.place.n)
	o.window[class] = append([]uint64{u.place.n}, o.window[class]...)
	t.repace(o, func(p *pace) { p.head[class] = u.place.n&countMask - 1 })
}
