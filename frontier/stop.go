package frontier

// crawls reports whether time that goes by is the run's active time: not that of a
// Rekey, which has an end of its own.
func (f *Frontier) crawls() bool {
	return f.head != nil && f.head.phase == Running && !f.rekey.pending()
}

// wall stops a run whose active time is spent.
func (t *tx) wall() error {
	h := t.f.head
	if t.f.crawls() && h.active+t.now-t.f.activeSince >= h.contract.Budget.Wall.Microseconds() {
		return t.stop(Stopped, ReasonWall, h.contract.Budget.Wall.String())
	}
	return nil
}

// finishIfOver ends the run in the same view in which nothing is left, or stops
// it if only paused URLs are.
func (t *tx) finishIfOver() error {
	h := t.f.head
	switch {
	case h.phase != Running:
		return nil
	case h.over() && h.observed == 0:
		return nil // nothing was offered yet
	case h.over() && h.slots == 0:
		return t.stop(FailedRun, ReasonNoneAdmitted, "")
	case h.over():
		return t.stop(Finished, "done", "")
	case h.offers == 0 && h.states[Leased] == 0 && h.paused > 0 && h.paused == h.unresolved():
		if again, err := t.resumed(); err != nil || again {
			return err
		}
		return t.stop(Stopped, t.whyPaused(), "")
	}
	return nil
}

// resumed gives paused origins their turn at once if one of them is no longer
// paused, and reports whether there is one.
func (t *tx) resumed() (bool, error) {
	for id := range t.f.paused {
		o, err := t.loadOrigin(id)
		if err != nil {
			return false, err
		}
		if o != nil && t.pauseOf(o) == "" {
			return true, t.lookAgain()
		}
	}
	return false, nil
}

// stop ends the run for now or for good. example shows what a bound held back.
func (t *tx) stop(p Phase, why Reason, example string) error {
	if p.Terminal() {
		t.f.book.active = 0
	}
	e := entry{phase: p, reason: why}
	if why == ReasonBytes || why == ReasonWall {
		e.stop, e.example = why, example
	}
	return t.run(e)
}
