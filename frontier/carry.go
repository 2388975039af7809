package frontier

import (
	"cmp"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// replay decides again what an earlier run was told.
func (t *tx) replay(it telling) error {
	switch {
	case it.line != nil:
		return t.replayCompletion(it.line)
	case it.edge == nil:
		return nil
	case it.edge.source.parent != place{}:
		return t.replayPage(it.edge.source.parent, &played{url: it.edge.source.base, links: it.edge})
	}
	s := it.edge.source
	_, err := t.decideAgain(source{kind: s.kind, base: s.base, depth: s.depth, overflow: s.overflow}, it.edge.lines, false)
	return err
}

// played is what an earlier run knows of a page, on its way into this one.
type played struct {
	url    string   // that was requested
	answer *Result  // nil: it was not final
	links  *edgeRow // nil: it brought none
	page   *urlRow  // the identity that url has now; nil: it is not admitted
}

func (t *tx) replayCompletion(l *logLine) (err error) {
	told, p := t.f.rekey.told, &played{}
	if p.answer, err = told.answer(t.ctx, l); err != nil {
		return err
	}
	if p.links, err = told.links(t.ctx, l); err != nil {
		return err
	}
	switch {
	case p.answer != nil:
		p.url = p.answer.URL
	case p.links != nil:
		p.url = p.links.source.base
	default:
		return nil
	}
	return t.replayPage(l.place, p)
}

// replayPage finds the identity that a page has now, and settles it. at is the page's
// place in the earlier run.
func (t *tx) replayPage(at place, p *played) error {
	route, err := t.f.rekey.told.route(t.ctx, at)
	if err != nil {
		return err
	}
	if p.page, err = t.pageOf(p.url + route); err != nil {
		return err
	}
	return t.settleAgain(p)
}

// pageOf returns the identity of a URL that was requested, or nil if it is not
// admitted.
func (t *tx) pageOf(url string) (*urlRow, error) {
	cs, err := candidates(t.ctx, t.f.cfg.Normalizer, "", []Reference{{Observed: url}})
	if err != nil {
		return nil, err
	}
	if err := t.lookUp(cs); err != nil || cs[0].reject != "" || !t.f.settled(&cs[0].url, url) {
		return nil, err
	}
	k, ok := t.f.ids.get(cs[0].id)
	if !ok {
		return nil, nil
	}
	p := place{cs[0].origin, k.n}
	if _, err := t.originAt(p.origin); err != nil {
		return nil, err
	}
	return t.peek(p)
}

// settled reports whether u is what a URL that was requested is normalized to, once
// and for all. A Normalizer that rewrites it again and again would give the answer
// to another URL.
func (f *Frontier) settled(u *urlnorm.URL, url string) bool {
	if requested, _, _ := strings.Cut(url, "#"); u.Request == requested {
		return true
	}
	again, err := f.cfg.Normalizer.Normalize(nil, u.Request+u.Key.Route())
	return err == nil && again.Request == u.Request && again.Key == u.Key
}

// settleAgain lets p's page take over its answer, if it waits for one, and
// decides its links.
func (t *tx) settleAgain(p *played) error {
	e, err := t.carry(p)
	if err != nil {
		return err
	}
	if p.links == nil && e != nil && e.settled == (admissionRef{}) {
		p.links = &edgeRow{} // it says where among the sources of this commit the answer came
	}
	if p.links != nil {
		at, err := t.decideAgain(t.sourceAgain(p, e), p.links.lines, p.page == nil)
		if err != nil {
			return err
		}
		if e != nil {
			e.settled = at
		}
	}
	if e == nil {
		return nil
	}
	return t.carryOut(p, e)
}

// sourceAgain is the source of p's links. One whose page is not admitted has no
// parent, and one whose answer is not carried over is of no attempt.
func (t *tx) sourceAgain(p *played, e *entry) source {
	s := source{kind: Link, base: p.url, overflow: p.links.source.overflow}
	if u := p.page; u != nil {
		s.parent, s.depth = u.place, u.depth+1
		if p.links.isTarget() {
			s.depth = u.depth
		}
	}
	if e != nil {
		s.gen = e.gen
	}
	return s
}

// decideAgain decides references of an earlier run, in one source. Those of a page
// that is lost, because its URL is not admitted, are not offered: whoever requests
// it finds them anew.
func (t *tx) decideAgain(s source, lines []decided, lost bool) (admissionRef, error) {
	refs := make([]Reference, len(lines))
	for i := range lines {
		refs[i] = lines[i].ref
	}
	cs, err := candidates(t.ctx, t.f.cfg.Normalizer, s.base, refs)
	if err != nil {
		return admissionRef{}, err
	}
	for i := range cs {
		switch c := &cs[i]; {
		case len(lines[i].ref.Observed) >= maxObserved && lines[i].decision == PolicyStop:
			c.reject = lines[i].reason // it may have been cut
		case (lost || lines[i].reason == ReasonLostPage) && c.reject == "" && c.ref.Refused == "":
			c.reject = ReasonLostPage
		}
	}
	if err := t.lookUp(cs); err != nil {
		return admissionRef{}, err
	}
	n := 0
	return t.decideAll(s, cs, nil, func(_ *source, c *candidate, d decided, _ admissionRef) error {
		n++
		return t.note(lines[n-1].decision, c, d)
	})
}

// carry decides what becomes of p's answer, and returns the transition of its
// page, or nil if the page does not take it over.
func (t *tx) carry(p *played) (*entry, error) {
	k, u := t.f.rekey, p.page
	if p.answer == nil {
		return nil, nil
	}
	k.Answers++
	switch {
	case u == nil, p.answer.State != Done:
		k.Asked++
	case u.state != Queued:
		k.Spare++
	default:
		e := u.entry(Carry, p.answer.Reason, t.policyOf(t.f.origins[u.place.origin]).Version)
		e.gen, e.ready, e.stored, e.evidence = u.gen+1, 0, nil, p.answer.Evidence.Artifact
		if p.answer.Outcome != OutcomeRedirected {
			k.Carried++
			return e, nil
		}
		return t.carryRedirect(p, e)
	}
	if p.answer.State == Done && p.answer.Outcome == OutcomeRedirected {
		return nil, t.targetAgain(p)
	}
	return nil, nil
}

// target is where p's redirect leads.
func (p *played) target() Reference {
	return Reference{Observed: p.answer.Target, Base: p.url, Rule: ruleRedirect}
}

// carryRedirect decides a redirect again, which hands its slot on. One that leads
// to its own identity now is no answer: what it led to may be one, later on.
func (t *tx) carryRedirect(p *played, e *entry) (*entry, error) {
	cs, err := candidates(t.ctx, t.f.cfg.Normalizer, p.url, []Reference{p.target()})
	if err != nil {
		return nil, err
	}
	if err := t.lookUp(cs); err != nil {
		return nil, err
	}
	if cs[0].reject == "" {
		back, err := t.inChain(p.page, &cs[0])
		if err != nil || back == p.page {
			t.f.rekey.Asked++
			return nil, err
		}
	}
	t.f.rekey.Carried++
	if err := t.redirect(&completing{target: cs}, p.page, e); err != nil {
		return nil, err
	}
	if e.event == Finish {
		e.event = Carry
	}
	return e, nil
}

// targetAgain decides the target of a redirect that hands no slot on, like a link.
func (t *tx) targetAgain(p *played) error {
	s := source{kind: Link, base: p.url}
	if u := p.page; u != nil {
		s.parent, s.depth = u.place, u.depth
	}
	_, err := t.decideAgain(s, []decided{{ref: p.target()}}, p.page == nil)
	return err
}

// carryOut ends p's page with its answer, and the answer's records.
func (t *tx) carryOut(p *played, e *entry) error {
	u, a := p.page, p.answer
	e.class, e.depth = u.class, u.depth // a page may refer to itself
	to, err := u.state.Next(e.event)
	if err != nil {
		return err
	}
	c := Completion{Outcome: a.Outcome, Target: a.Target, Evidence: a.Evidence, Records: a.Records}
	r := t.resultOf(&c, u, t.f.origins[u.place.origin], e, to)
	r.URL, r.Attempts, r.Carried = p.url, a.Attempts, cmp.Or(a.Carried, a.Attempt)
	t.putResult(&r, c.Records)
	return t.do(e)
}
