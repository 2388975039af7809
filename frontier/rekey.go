package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weircrawl/weir/storage"
)

// Rekey makes a run out of an earlier one under another Normalizer, and returns
// once it may be opened. It replays what the run from was told, in that order:
// every reference is decided again under its new key, with its own source, base
// and priority, and every answer of a URL that is admitted is taken over, with its
// records. What is Done stays done and is not requested again. All else, queued,
// refused or failed, is for the new run to find out.
//
// Where several identities become one, its first answer counts, and the
// references of all of them are decided. Where one becomes several, the answer
// goes to the one whose URL was requested, and the others are requested. The
// answer of a URL that a bound or a rule holds back when its turn comes is lost,
// and its references count as policy_stop {lost_page}: should the URL be admitted
// later, it is requested and names them anew.
//
// The run is named cfg.Run. A zero field of cfg.Budget, or a zero cfg.Scope, is
// that of from; a larger bound admits what from held back. No row of from changes;
// if it was unfinished it is set aside: it can be read, but not gone on with. What
// a page of from has named and emitted is decided as it was, also where cfg bounds
// a page more narrowly. References of a spare answer keep the depth that they were
// decided at, should their page come nearer to a seed later.
//
// Rekey works in bounded commits and needs little memory. Whatever ends it, call
// it again, or open the run: it goes on from its last commit, and to call it once
// it is done only returns what it came to. Its time does not count in Budget.Wall.
// progress, if not nil, is called between commits. Rekey returns ErrSameNormalizer
// if there is nothing to do, ErrRunExists, ErrRunActive, ErrNoRun, and what Open
// returns.
func Rekey(ctx context.Context, cfg Config, from string, progress func(Rekeyed)) (Rekeyed, error) {
	given := cfg.Budget
	if err := cfg.validate(); err != nil {
		return Rekeyed{}, fmt.Errorf("frontier: config: %w", err)
	}
	earlier, err := earlierRun(ctx, cfg.Store, from)
	if err != nil {
		return Rekeyed{}, fmt.Errorf("frontier: rekey: %w", err)
	}
	cfg = earlier.contract.defaults(cfg).withDefaults()
	if versionOf(cfg.Normalizer) == earlier.contract.Normalizer {
		return Rekeyed{}, fmt.Errorf("frontier: rekey run %q: %w: %s", earlier.name, ErrSameNormalizer, earlier.contract.Normalizer)
	}
	f := newFrontier(cfg)
	f.earlier = earlier
	if done, err := f.rekeyed(ctx); err != nil || done.Done {
		return done, err
	}
	if err := f.open(ctx, given); err != nil {
		return Rekeyed{}, err
	}
	return f.rekeyAll(ctx, progress)
}

var (
	// ErrSameNormalizer means that Rekey was called with the normalizer that the
	// run began with: every key would stay as it is. Nothing was changed.
	ErrSameNormalizer = errors.New("frontier: the normalizer is the one that the run began with")
	// ErrRunExists means that the store holds a run of this name that is no
	// rekeyed run, or of another run or normalizer. Nothing was changed; choose
	// another name.
	ErrRunExists = errors.New("frontier: there is a run of this name already")
)

// Why a rekeyed run stands still, and why references of a page are not decided.
const (
	ReasonRekeying Reason = "rekeying"  // Rekey was interrupted: call it again, or open the run
	ReasonRekeyed  Reason = "rekeyed"   // Rekey is done: open the run to crawl it
	ReasonLostPage Reason = "lost_page" // their page is not admitted: whoever requests it later finds them anew
)

// earlierRun reads the head of the run that is to be rekeyed.
func earlierRun(ctx context.Context, s storage.Store, name string) (*head, error) {
	if name == "" {
		return nil, errors.New("name the run that is to be rekeyed: the newest is soon the one that Rekey makes")
	}
	r, err := NewReader(ctx, s, name)
	if err != nil {
		return nil, err
	}
	h, err := readHead(ctx, s, r.keys)
	if err != nil {
		return nil, err
	}
	if h.observed == 0 {
		return nil, fmt.Errorf("run %q has observed nothing: begin a new run", h.name)
	}
	if done, ok, err := r.Rekeyed(ctx); err != nil || ok && !done.Done {
		return nil, errors.Join(err, fmt.Errorf("run %q is itself half rekeyed from %q: finish that first", h.name, done.From))
	}
	return h, nil
}

// defaults gives cfg the bounds of an earlier run where it has none.
func (c contract) defaults(cfg Config) Config {
	for _, b := range cfg.Budget.fields() {
		if *b.value(&cfg.Budget) == 0 {
			b.set(&cfg.Budget, *b.value(&c.Budget))
		}
	}
	if cfg.Scope.Empty() && len(cfg.Scope.Exclude) == 0 {
		cfg.Scope = c.Scope
	}
	return cfg
}

// rekeyed looks for a run that has been rekeyed before as it is to be now.
func (f *Frontier) rekeyed(ctx context.Context) (Rekeyed, error) {
	name, active := f.cfg.Run, false
	if name == "" {
		var err error
		if name, active, err = Active(ctx, f.cfg.Store); err != nil || !active {
			return Rekeyed{}, err
		}
	}
	r, err := NewReader(ctx, f.cfg.Store, name)
	if errors.Is(err, ErrNoRun) {
		return Rekeyed{}, nil
	}
	if err != nil {
		return Rekeyed{}, err
	}
	done, _, err := r.Rekeyed(ctx)
	if err != nil || done.From != f.earlier.name || done.Normalizer != versionOf(f.cfg.Normalizer) {
		return Rekeyed{}, err
	}
	return done, nil
}

// findRekeyed returns the head of the run that an earlier Rekey has begun, or nil
// if one is to begin.
func (f *Frontier) findRekeyed(ctx context.Context, named uint32) (*head, error) {
	if active := f.book.active; active != 0 && active != f.earlier.number {
		h, err := readHead(ctx, f.cfg.Store, keys{run: active})
		switch {
		case err != nil:
			return nil, err
		case h.contract.From != f.earlier.name || f.cfg.Run != "" && f.cfg.Run != h.name:
			return nil, fmt.Errorf("frontier: rekey run %q: %w: run %q is %s", f.earlier.name, ErrRunActive, h.name, h.phase)
		}
		return h, sameNormalizer(h, f.cfg.Normalizer)
	}
	if named != 0 {
		return nil, fmt.Errorf("frontier: rekey run %q: %w: %q; choose another", f.earlier.name, ErrRunExists, f.cfg.Run)
	}
	return nil, nil
}

// rekeyAll waits until the writer has replayed the earlier run, and closes f.
func (f *Frontier) rekeyAll(ctx context.Context, progress func(Rekeyed)) (Rekeyed, error) {
	now, err := f.rekeyUntilDone(ctx, progress)
	why := ReasonRekeyed
	if err != nil {
		why = ReasonRekeying
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return now, errors.Join(err, f.Stop(ending, why), f.Close())
}

func (f *Frontier) rekeyUntilDone(ctx context.Context, progress func(Rekeyed)) (now Rekeyed, err error) {
	for {
		var stopped error
		look := &call{decide: func(t *tx) error {
			if now, stopped = t.f.rekey.Rekeyed, nil; !now.Done && t.f.head.phase != Running {
				stopped = t.f.over()
			}
			return nil
		}}
		if err := f.submit(ctx, look); err != nil {
			return now, fmt.Errorf("frontier: rekey: %w", err)
		}
		if progress != nil {
			progress(now)
		}
		if now.Done || stopped != nil {
			return now, stopped
		}
	}
}

// Rekeyed reads what the Rekey that began the run came to, and reports whether
// the run was begun by one.
func (r *Reader) Rekeyed(ctx context.Context) (Rekeyed, bool, error) {
	k, err := readRekeying(ctx, r.store, r.keys)
	if err != nil || k == nil {
		return Rekeyed{}, false, err
	}
	return k.Rekeyed, true, nil
}
