package frontier

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// overlay is what operators have set: it lies over Config.Policy, the run's policy
// first, over it the site's, over that the origin's. It never changes; a change
// makes another.
type overlay struct {
	revision uint64 // changes so far
	run      Policy
	sites    map[string]Policy
	origins  map[urlnorm.Origin]Policy
}

// over is what holds for o, whose PolicySource says base.
func (v *overlay) over(o urlnorm.Origin, base Policy) Policy {
	p := v.origins[o]
	if len(v.sites) > 0 {
		p = p.over(v.sites[o.Site()])
	}
	p = p.over(v.run).over(base)
	if v.revision == 0 {
		return p
	}
	set(&p.Version, defaultVersion)
	suffix := fmt.Sprintf("+%d", v.revision)
	p.Version = clipText(p.Version, maxReason-len(suffix)) + suffix
	return p
}

// of is what is set for one subject.
func (v *overlay) of(s Subject) Policy {
	switch {
	case s.Origin != "":
		return v.origins[s.Origin]
	case s.Site != "":
		return v.sites[s.Site]
	}
	return v.run
}

// with is v with p for s; a zero p removes it.
func (v *overlay) with(s Subject, p Policy) *overlay {
	w := &overlay{revision: v.revision, run: v.run, sites: maps.Clone(v.sites), origins: maps.Clone(v.origins)}
	switch {
	case s.Origin != "":
		w.origins = put(w.origins, s.Origin, p)
	case s.Site != "":
		w.sites = put(w.sites, s.Site, p)
	default:
		w.run = p
	}
	return w
}

func put[K comparable](m map[K]Policy, key K, p Policy) map[K]Policy {
	if p.IsZero() {
		delete(m, key)
		return m
	}
	if m == nil {
		m = map[K]Policy{}
	}
	m[key] = p
	return m
}

// policyRow is what is set for one subject, as a row.
func policyRow(s Subject, policy []byte) []byte {
	w := codec.NewWriter(rowVersion, nil)
	w.String(s.String())
	w.Bytes(policy)
	return w.Seal()
}

func decodePolicyRow(v []byte) (Subject, Policy, error) {
	r := codec.NewReader(v, rowVersion)
	s, text := parseSubject(r.String()), r.Bytes()
	if err := r.Close(); err != nil {
		return s, Policy{}, damaged(spacePolicy, err)
	}
	var p Policy
	return s, p, damaged(spacePolicy, json.Unmarshal(text, &p))
}

// loadPolicies reads what operators have set for the run.
func (f *Frontier) loadPolicies(ctx context.Context) error {
	v := &overlay{revision: f.head.contract.Revision}
	r := &Reader{store: f.cfg.Store, keys: f.keys}
	for row, err := range r.all(ctx, spacePolicy) {
		if err != nil {
			return err
		}
		s, p, err := decodePolicyRow(row[1])
		if err != nil {
			return err
		}
		switch {
		case s.Origin != "":
			v.origins = put(v.origins, s.Origin, p)
		case s.Site != "":
			v.sites = put(v.sites, s.Site, p)
		default:
			v.run = p
		}
	}
	f.overlay.Store(v)
	return nil
}

// setPolicy keeps p for s; a zero p removes what was kept. It is in force from the
// next decision on, of this group, too.
func (t *tx) setPolicy(s Subject, p Policy) error {
	terms, was := t.f.head.contract, t.f.operators().of(s)
	if !was.IsZero() {
		terms.Policies--
		terms.Said -= int64(len(was.encode()))
	}
	if err := t.keepPolicy(s, p, &terms); err != nil {
		return err
	}
	return t.revise(terms, terms.Revision+1)
}

// keepPolicy writes the row of one policy, and adds it to terms.
func (t *tx) keepPolicy(s Subject, p Policy, terms *contract) error {
	key, e := t.f.keys.subject(s), &entry{kind: entryPolicy, text: urlnorm.Origin(s.String())}
	if p.IsZero() {
		t.drop(spacePolicy, key)
	} else {
		e.contract = p.encode()
		t.put(spacePolicy, key, policyRow(s, e.contract))
		terms.Policies++
		terms.Said += int64(len(e.contract))
	}
	return t.do(e)
}

// revise puts what was kept in force, as a revision.
func (t *tx) revise(terms contract, revision uint64) error {
	terms.Revision = revision
	next := *t.f.operators()
	next.revision = revision
	t.f.overlay.Store(&next)
	t.policy, t.disallow = nil, nil
	terms.Versions = t.f.versions()
	return t.rebind(terms, "policy")
}

// inherit lets a new run begin with what operators have set for the one before it:
// who has asked not to be visited is not visited by the next run either. A pause of
// the whole run was that run's own.
func (t *tx) inherit() error {
	before := t.f.head.number - 1
	if before == 0 {
		return nil
	}
	r := &Reader{store: t.f.cfg.Store, keys: keys{run: before}}
	h, err := readHead(t.ctx, r.store, r.keys)
	if err != nil || h.contract.Policies == 0 {
		return err
	}
	terms := t.f.head.contract
	for row, err := range r.all(t.ctx, spacePolicy) {
		if err != nil {
			return err
		}
		s, p, err := decodePolicyRow(row[1])
		if err != nil {
			return err
		}
		if s == (Subject{}) {
			p.Paused = ""
		}
		if p.IsZero() {
			continue
		}
		if err := t.keepPolicy(s, p, &terms); err != nil {
			return err
		}
	}
	return t.revise(terms, h.contract.Revision)
}

// operators is the overlay in force.
func (f *Frontier) operators() *overlay {
	if v := f.overlay.Load(); v != nil {
		return v
	}
	return &overlay{}
}

func (t *tx) putPolicy(s Subject, p Policy) { t.f.overlay.Store(t.f.operators().with(s, p)) }

func (p *replayed) putPolicy(s Subject, to Policy) { p.overlay = p.overlay.with(s, to) }

// applyPolicy changes what is set for a subject.
func applyPolicy(p projection, e *entry) error {
	var to Policy
	if len(e.contract) > 0 {
		if err := json.Unmarshal(e.contract, &to); err != nil {
			return err
		}
	}
	p.putPolicy(parseSubject(string(e.text)), to)
	return nil
}

// policies compares the rows of what operators have set with their number.
func (c *checker) policies(ctx context.Context) error {
	said := int64(0)
	for row, err := range c.all(ctx, spacePolicy) {
		if err != nil {
			return err
		}
		s, p, err := decodePolicyRow(row[1])
		if err != nil {
			return err
		}
		said += int64(len(p.encode()))
		if string(row[0]) != string(c.keys.subject(s)) {
			c.faults.add("the policy of %s has a foreign key", s)
		}
		if err := p.Validate(); err != nil || p.IsZero() {
			c.faults.add("the policy of %s is empty or invalid: %v", s, err)
		}
	}
	if said != c.head.contract.Said {
		c.faults.add("policies take %d bytes, the run says %d", said, c.head.contract.Said)
	}
	return nil
}

// comparePolicies compares what operators have set with what the log says.
func (r *Reader) comparePolicies(ctx context.Context, p *replayed, faults *Faults) error {
	for row, err := range r.all(ctx, spacePolicy) {
		if err != nil {
			return err
		}
		s, kept, err := decodePolicyRow(row[1])
		if err != nil {
			return err
		}
		if again := p.overlay.of(s); string(again.encode()) != string(kept.encode()) {
			faults.add("policy of %s: replayed %s, kept %s", s, again.encode(), kept.encode())
		}
		p.overlay = p.overlay.with(s, Policy{})
	}
	if rest := p.overlay; len(rest.sites)+len(rest.origins) > 0 || !rest.run.IsZero() {
		faults.add("policies of %v and %v are in the log alone", rest.sites, rest.origins)
	}
	return nil
}

// spacePolicy and spaceAudit are the operators'.
var (
	spacePolicy = storage.Space{Name: "policy", Use: storage.Point} // P R hash of subject -> policy
	spaceAudit  = storage.Space{Name: "audit", Use: storage.Append} // P R S i -> Audit
)
