package frontier

import "github.com/weircrawl/weir/urlnorm"

// ruleRedirect is what finds a redirect's target.
const ruleRedirect = "redirect"

// redirect decides what a redirect's answer makes of its URL: e is the event of
// the source, and the target is offered in its place.
func (t *tx) redirect(c *completing, u *urlRow, e *entry) error {
	target := &c.target[0]
	if int(u.hop)+1 > t.f.head.contract.Budget.Redirects {
		e.event, e.reason = Fail, ReasonRedirects
		return nil
	}
	if target.reject == "" {
		back, err := t.inChain(u, target)
		if err != nil {
			return err
		}
		if back == u {
			return t.redirectSelf(target, u, e)
		}
		if back != nil {
			return t.redirectBack(back, u, e)
		}
		why, err := t.seedScope(u, target)
		if err != nil {
			return err
		}
		if why != "" {
			e.event, e.reason = Refuse, why
			return nil
		}
	}
	e.event, e.reason = Finish, ReasonRedirected
	s := t.sourceOf(u, Redirect, u.depth, u.hop+1)
	s.seed = u.seed
	var err error
	e.settled, err = t.decideAll(s, c.target, nil, nil)
	return err
}

// redirectSelf asks for the same identity again, perhaps by another address: a
// cookie round trip, or a parameter that the key leaves out.
func (t *tx) redirectSelf(target *candidate, u *urlRow, e *entry) error {
	e.event, e.reason, e.attempts = Retry, "redirect", u.attempts
	e.hop, e.ready = u.hop+1, t.now
	if target.url.Request == u.url {
		return nil
	}
	e.url = target.url.Request
	if k, ok := t.f.ids.get(target.id); ok {
		k.form = t.f.formOf(e.url)
		t.f.ids.put(target.id, k)
	}
	return nil
}

// redirectBack reopens an earlier member of the chain within the same visit;
// its hop count goes on, so that the chain ends.
func (t *tx) redirectBack(back, u *urlRow, e *entry) error {
	e.event, e.reason = Finish, ReasonRedirected
	if !back.state.Terminal() {
		return nil
	}
	r := back.entry(Reopen, "redirect", t.f.policy(t.f.origins[back.place.origin].text).Version)
	r.hop, r.ready, r.stored, r.via = u.hop+1, t.now, nil, u.place
	if err := t.do(r); err != nil {
		return err
	}
	o := t.f.origins[back.place.origin]
	o.fresh = true
	t.f.rouse(o, t.now)
	return nil
}

// inChain returns the member of u's redirect chain that has the target's key:
// u itself, an earlier one, or nil.
func (t *tx) inChain(u *urlRow, target *candidate) (*urlRow, error) {
	for range int(u.hop) + 1 {
		if u.key == target.url.Key && u.place.origin == target.origin {
			return u, nil
		}
		if u.from == (place{}) {
			return nil, nil
		}
		if _, err := t.originAt(u.from.origin); err != nil {
			return nil, err
		}
		var err error
		if u, err = t.peek(u.from); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// seedScope lets a seed's redirect take the scope along within its site, and
// says why it may not elsewhere.
func (t *tx) seedScope(u *urlRow, target *candidate) (Reason, error) {
	h := t.f.head
	if !u.seed || t.f.takes(target.url) {
		return "", nil
	}
	from := urlnorm.Origin(t.f.origins[u.place.origin].text)
	if !h.contract.Seeds || from.Site() != target.url.Origin.Site() || h.scope().bars(target.url) || !t.f.agrees(target.url) {
		return ReasonSeedLeftScope, nil
	}
	return "", t.adopt(target.url)
}
