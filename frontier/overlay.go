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

// overlay is what operators have set, the run's policy as Default: it lies over
// Config.Policy. One that is in force never changes; a change makes another.
type overlay struct {
	revision uint64 // changes so far
	table    PolicyTable
}

// over is what holds for o, whose PolicySource says base.
func (v *overlay) over(o urlnorm.Origin, base Policy) Policy {
	p := v.table.layers(o).over(base)
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
		return v.table.Origins[s.Origin]
	case s.Site != "":
		return v.table.Sites[s.Site]
	}
	return v.table.Default
}

// draft is a copy of v, to be changed.
func (v *overlay) draft() *overlay {
	t := v.table
	t.Sites, t.Origins = maps.Clone(t.Sites), maps.Clone(t.Origins)
	return &overlay{v.revision, t}
}

// set puts p into a draft, for s; a zero p removes what is there.
func (v *overlay) set(s Subject, p Policy) {
	switch {
	case s.Origin != "":
		put(&v.table.Origins, s.Origin, p)
	case s.Site != "":
		put(&v.table.Sites, s.Site, p)
	default:
		v.table.Default = p
	}
}

func put[K comparable](m *map[K]Policy, key K, p Policy) {
	if p.IsZero() {
		delete(*m, key)
		return
	}
	if *m == nil {
		*m = map[K]Policy{}
	}
	(*m)[key] = p
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
		v.set(s, p)
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
	next := t.drafted()
	next.revision, t.draft = revision, nil
	t.f.overlay.Store(next)
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

// drafted is what will be in force, once it is revised.
func (t *tx) drafted() *overlay {
	if t.draft == nil {
		t.draft = t.f.operators().draft()
	}
	return t.draft
}

func (t *tx) putPolicy(s Subject, p Policy) { t.drafted().set(s, p) }

func (p *replayed) putPolicy(s Subject, to Policy) { p.overlay.set(s, to) }

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
		p.overlay.set(s, Policy{})
	}
	if rest := p.overlay.table; len(rest.Sites)+len(rest.Origins) > 0 || !rest.Default.IsZero() {
		faults.add("policies of %v and %v are in the log alone", rest.Sites, rest.Origins)
	}
	return nil
}

// spacePolicy and spaceAudit are the operators'.
var (
	spacePolicy = storage.Space{Name: "policy", Use: storage.Point} // P R hash of subject -> policy
	spaceAudit  = storage.Space{Name: "audit", Use: storage.Append} // P R S i -> Audit
)
