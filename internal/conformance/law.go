package main

import (
	"context"
	"fmt"
	"maps"

	"github.com/weircrawl/weir/frontier"
)

// A recount is what a slow walk over a run's edges, log and results counts.
type recount struct {
	observed  int64 // references
	decisions map[frontier.Decision]int64
	states    map[frontier.State]int64 // of admitted identities
	results   int64                    // rows
}

// reconciles is the law of every crawl: each reference that was observed has one
// disposition, each identity that was admitted stands in one state, and a slow
// walk over edges, log and results counts the same as the run did in passing.
func reconciles(ctx context.Context, reader *frontier.Reader) error {
	summary, err := reader.Summary(ctx)
	if err != nil {
		return err
	}
	counted, err := recounted(ctx, reader)
	if err != nil {
		return err
	}
	return counted.agrees(summary)
}

func recounted(ctx context.Context, reader *frontier.Reader) (recount, error) {
	c := recount{decisions: map[frontier.Decision]int64{}, states: map[frontier.State]int64{}}
	for a, err := range reader.Admissions(ctx) {
		if err != nil {
			return c, err
		}
		c.decide(a)
	}
	now := map[frontier.LeaseID]frontier.State{}
	for tr, err := range reader.Transitions(ctx) {
		if err != nil {
			return c, err
		}
		if id := tr.ID; id.Ordinal > 0 { // 0 is the origin's gate
			id.Generation = 0
			now[id] = tr.To
		}
	}
	for _, state := range now {
		c.states[state]++
	}
	for _, err := range reader.Results(ctx, 0) {
		if err != nil {
			return c, err
		}
		c.results++
	}
	return c, nil
}

// decide counts one admission. A reference that is decided again moves from one
// disposition to another.
func (c *recount) decide(a frontier.Admission) {
	c.decisions[a.Decision] += a.Count
	if a.Was != 0 {
		c.decisions[a.Was] -= a.Count
		return
	}
	c.observed += a.Count
}

// agrees says where the counters of a run are not what c has counted, or do not
// add up.
func (c recount) agrees(s frontier.Summary) error {
	decisions := map[frontier.Decision]int64{}
	for _, t := range s.Decided {
		decisions[t.Decision] += t.Count
	}
	unresolved := s.States[frontier.Queued] + s.States[frontier.Leased] + s.States[frontier.Waiting]
	over := s.States[frontier.Done] + s.States[frontier.Refused] + s.States[frontier.Failed] + s.States[frontier.Cancelled]
	switch {
	case c.observed != s.Observed || sum(decisions) != s.Observed:
		return fmt.Errorf("%d references are observed, %d by the edges; %d have a disposition", s.Observed, c.observed, sum(decisions))
	case !same(c.decisions, decisions):
		return fmt.Errorf("dispositions are %v, by the edges %v", decisions, c.decisions)
	case !same(c.states, s.States):
		return fmt.Errorf("states are %v, by the log %v", s.States, c.states)
	case decisions[frontier.Admitted] != over+unresolved:
		return fmt.Errorf("%d are admitted, %d over and %d unresolved", decisions[frontier.Admitted], over, unresolved)
	case c.results != s.Results || c.results < over:
		return fmt.Errorf("%d results are counted and %d there, of %d that are over", s.Results, c.results, over)
	}
	return nil
}

func sum[K comparable](counts map[K]int64) (n int64) {
	for _, count := range counts {
		n += count
	}
	return n
}

// same compares counts, of which those of nothing may stand or not.
func same[K comparable](a, b map[K]int64) bool {
	return maps.Equal(positive(a), positive(b))
}

func positive[K comparable](counts map[K]int64) map[K]int64 {
	counts = maps.Clone(counts)
	maps.DeleteFunc(counts, func(_ K, n int64) bool { return n == 0 })
	return counts
}
