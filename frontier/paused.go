package frontier

import "github.com/weircrawl/weir/urlnorm"

// policyOf asks the policy source once a group and origin.
func (t *tx) policyOf(o *origin) Policy {
	if p, ok := t.policy[o.id]; ok {
		return p
	}
	if t.policy == nil {
		t.policy = map[uint64]Policy{}
	}
	p := t.f.policy(o.text)
	t.policy[o.id] = p
	return p
}

func (f *Frontier) policy(o urlnorm.Origin) Policy {
	p := f.operators().over(o, f.cfg.Policy.Policy(o)).WithDefaults()
	p.Version = clipText(p.Version, maxReason)
	return p
}

// paused keeps an origin back, and looks again later: a policy may change.
func (t *tx) paused(o *origin) error {
	why := t.pauseOf(o)
	if why != o.pace.pause {
		t.repace(o, func(p *pace) { p.pause, p.allowance.Incidents = why, 0 })
	}
	f := t.f
	if why == "" {
		f.wakes.set(o.id, t.now)
		return nil
	}
	f.wakes.remove(o.id)
	if len(f.paused) == 0 {
		f.lookAt = t.now + lookAgainAfter
	}
	f.paused[o.id] = true
	return nil
}

// pauseOf is why o is paused now: by its policy, or throttled in this
// incarnation; in the next one it gets another chance.
func (t *tx) pauseOf(o *origin) Reason {
	why := cleanReason(Reason(t.policyOf(o).Paused))
	if why == "" && o.pace.pause == ReasonThrottled && t.f.throttled[o.id] {
		return ReasonThrottled
	}
	return why
}

// lookAgain gives every paused origin its turn again.
func (t *tx) lookAgain() error {
	f := t.f
	ids := f.paused
	f.paused, f.lookAt = map[uint64]bool{}, never
	for id := range ids {
		o, err := t.loadOrigin(id)
		if err != nil {
			return err
		}
		if o != nil {
			f.rouse(o, t.now)
		}
	}
	return nil
}

// lookAgainAfter is how often a paused origin's policy is asked again.
const lookAgainAfter = int64(10e6)
