//go:build unix

package weir_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// What a kill must not do, as the errors that say that it has.
var (
	errStore     = errors.New("the store does not add up")
	errLost      = errors.New("an identity is lost")
	errDoubled   = errors.New("a record is lost or doubled")
	errBudget    = errors.New("the budget is crossed")
	errArtifact  = errors.New("an accepted artifact is lost")
	errRepeated  = errors.New("more requests are repeated than leases were lost")
	errForgotten = errors.New("an acknowledged completion is forgotten")
)

// A proof collects what is wrong with what a life has left.
type proof struct {
	*life
	ctx     context.Context
	reader  *frontier.Reader
	sink    storage.ArtifactSink
	results []frontier.Result
	steps   []frontier.Transition
	faults  []error
}

func (p *proof) fault(kind error, format string, args ...any) {
	if len(p.faults) < 20 {
		p.faults = append(p.faults, fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...)))
	}
}

// open reads what there is, and lets do judge it. No run is well as long as
// nothing was acknowledged.
func (l *life) open(do func(*proof)) (err error) {
	store, sink, err := partsOf[l.Parts](l.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	defer func() { err = errors.Join(err, sink.Close(), store.Close()) }()
	p := &proof{life: l, ctx: context.Background(), sink: sink}
	p.reader, err = frontier.NewReader(p.ctx, store, "")
	switch {
	case errors.Is(err, frontier.ErrNoRun):
		p.acknowledged()
		return errors.Join(p.faults...)
	case err != nil:
		return fmt.Errorf("%w: %w", errStore, err)
	}
	if err := p.read(); err != nil {
		return fmt.Errorf("%w: %w", errStore, err)
	}
	do(p)
	return errors.Join(p.faults...)
}

func (p *proof) read() error {
	for r, err := range p.reader.Results(p.ctx, 0) {
		if err != nil {
			return err
		}
		p.results = append(p.results, r)
	}
	for s, err := range p.reader.Transitions(p.ctx) {
		if err != nil {
			return err
		}
		p.steps = append(p.steps, s)
	}
	return nil
}

// look proves what must hold at every moment.
func (l *life) look() error {
	return l.open(func(p *proof) {
		for what, check := range map[string]func(context.Context) error{"check": p.reader.Check, "replay": p.reader.Replay} {
			if err := check(p.ctx); err != nil {
				p.fault(errStore, "%s: %v", what, err)
			}
		}
		p.budget()
		p.artifacts()
		p.acknowledged()
	})
}

// budget proves that no bound is crossed, and counts the leases that nobody has
// any more.
func (p *proof) budget() {
	s, err := p.reader.Summary(p.ctx)
	if err != nil {
		p.fault(errStore, "summary: %v", err)
		return
	}
	if s.Slots > p.Budget.WithDefaults().URLs || s.Bytes+s.Reserved > s.Limit.Bytes {
		p.fault(errBudget, "%d URLs of %d, %d bytes of %d", s.Slots, p.Budget.URLs, s.Bytes+s.Reserved, s.Limit.Bytes)
	}
	p.inFlight += s.States[frontier.Leased]
}

// artifacts opens every artifact that the ledgers refer to.
func (p *proof) artifacts() {
	refs := map[storage.Ref]string{}
	for _, s := range p.steps {
		refs[s.Evidence] = s.URL
	}
	for _, r := range p.results {
		refs[r.Evidence.Artifact] = r.URL
	}
	delete(refs, storage.Ref{})
	for ref, url := range refs {
		a, err := p.sink.Open(p.ctx, ref)
		if err != nil {
			p.fault(errArtifact, "%s: %v", url, err)
		} else if storage.Sum(a.Body) != ref.Digest {
			p.fault(errArtifact, "%s has digest %s, and not %s", url, storage.Sum(a.Body), ref.Digest)
		}
	}
}

// acknowledged proves that every completion is kept that a victim has seen
// accepted.
func (p *proof) acknowledged() {
	told, err := os.ReadFile(filepath.Join(p.Dir, "told"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.fault(errForgotten, "%v", err)
	}
	settled := map[string]bool{}
	for _, s := range p.steps {
		if s.Event != frontier.Grant {
			settled[s.ID.String()] = true
		}
	}
	for _, id := range strings.Fields(string(told)) {
		if !settled[id] {
			p.fault(errForgotten, "%s", id)
		}
	}
}

// account proves what must hold in the end.
func (l *life) account() error {
	return l.open(func(p *proof) {
		s, err := p.reader.Summary(p.ctx)
		if err != nil || s.Phase != frontier.Finished || s.Unresolved() != 0 {
			p.fault(errLost, "the run is %s with %d URLs unresolved (%v)", s.Phase, s.Unresolved(), err)
		}
		p.endings(s)
		p.exported()
		p.requests(s)
	})
}

// endings proves that each URL has ended once, and as it does where nobody is
// killed.
func (p *proof) endings(s frontier.Summary) {
	ends := map[string]frontier.Result{}
	for _, r := range p.results {
		if _, twice := ends[r.URL]; twice {
			p.fault(errDoubled, "%s has two results", r.URL)
		}
		ends[r.URL] = r
		p.ending(r)
	}
	if int64(len(ends)) != s.Admitted() {
		p.fault(errLost, "%d URLs have ended, of %d", len(ends), s.Admitted())
	}
	if int64(len(p.web.want)) > p.Budget.WithDefaults().URLs {
		if s.Slots != p.Budget.URLs {
			p.fault(errLost, "%d slots are spent of %d", s.Slots, p.Budget.URLs)
		}
		return // which URLs fit is a matter of order
	}
	for url := range p.web.want {
		if _, ended := ends[url]; !ended {
			p.fault(errLost, "%s has no result", url)
		}
	}
}

func (p *proof) ending(r frontier.Result) {
	want, known := p.web.want[r.URL]
	if got := fmt.Sprintf("%s {%s}", r.State, r.Reason); !known || got != want.end {
		p.fault(errLost, "%s is %s, and not %s (%s)", r.URL, got, want.end, r.Evidence.Detail)
	}
	same := func(a, b frontier.Record) bool { return a.Kind == b.Kind && string(a.Data) == string(b.Data) }
	if !slices.EqualFunc(r.Records, want.records, same) {
		p.fault(errDoubled, "%s has records %v, and not %v", r.URL, r.Records, want.records)
	}
	if want.requests > 0 && r.Evidence.Digest != storage.Sum([]byte(want.body)) {
		p.fault(errArtifact, "%s has the digest of another page", r.URL)
	}
}

// exported proves that the export has each record once.
func (p *proof) exported() {
	var want []string
	for _, r := range p.results {
		for _, record := range p.web.want[r.URL].records {
			want = append(want, record.Kind+" "+string(record.Data))
		}
	}
	file, err := os.ReadFile(exported(p.Dir))
	got := strings.Split(strings.TrimSpace(string(file)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		p.fault(errDoubled, "%d records are exported, and not %d (%v)", len(got), len(want), err)
	}
}

// requests proves that a request is repeated only for a lease that was lost, or
// given back.
func (p *proof) requests(s frontier.Summary) {
	may := map[string]int{}
	for url, want := range p.web.want {
		may[url] = want.requests
	}
	for _, host := range fixtureHosts {
		may["http://"+host+"/robots.txt"] = 1
	}
	need := maps.Clone(may)
	back := p.inFlight // leases of URLs and gates that were lost or given back
	for _, step := range p.steps {
		switch {
		case step.Event == frontier.Expire:
			p.fault(errRepeated, "the lease of %s has expired", step.URL)
		case step.Event != frontier.Lose && step.Event != frontier.Release:
		case step.ID.Ordinal == 0:
			back++
			may[string(step.Origin)+"/robots.txt"]++
		case step.Event == frontier.Release: // a victim that stops by itself waits for no answer
			back++
			fallthrough
		default:
			may[step.URL]++
		}
	}
	for url, n := range p.web.hits() {
		p.repeated += max(0, n-need[url])
		if n > may[url] {
			p.fault(errRepeated, "%s was requested %d times, and not %d", url, n, may[url])
		}
	}
	if int64(p.repeated) > back {
		p.fault(errRepeated, "%d requests, and %d leases were in flight", p.repeated, back)
	}
	if s.Admitted() < int64(len(p.web.hits())-len(fixtureHosts)) {
		p.fault(errBudget, "%d URLs were requested, and %d admitted", len(p.web.hits())-len(fixtureHosts), s.Admitted())
	}
}
