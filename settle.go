package weir

import (
	"context"
	"errors"
	"fmt"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// maxGroup bounds the completions of one call of CompleteAll.
const maxGroup = 512

// settle commits completions until there are no more: always all that wait, so
// that the slower a commit is, the more it does.
func (r *run) settle(ctx context.Context) {
	room := make([]frontier.Completion, 0, maxGroup)
	for {
		group := r.backlog.take(room)
		if len(group) == 0 {
			return
		}
		size := sizeOf(group...)
		r.commit(ctx, group)
		r.backlog.done(size)
		clear(group)
	}
}

// commit makes the artifacts of a group durable, then its completions. Where
// that fails the run ends: what is not committed goes back to the queue.
func (r *run) commit(ctx context.Context, group []frontier.Completion) {
	defer r.dropAll(group)
	if err := r.sink.Sync(ctx); err != nil {
		r.fail(artifactError(err))
		for i, c := range group {
			if c.Outcome != frontier.OutcomeReleased {
				group[i] = c.Lease.Release("storage_failed")
			}
		}
	}
	answers, err := r.f.CompleteAll(ctx, group)
	if err != nil {
		answers, err = r.oneByOne(ctx, group)
	}
	for i, a := range answers {
		r.answered(group[i], a)
	}
	if err != nil {
		r.fail(fmt.Errorf("weir: commit: %w", err))
		return
	}
	if r.cfg.Trace.Commit != nil {
		r.cfg.Trace.Commit(r.f.Summary())
	}
}

// oneByOne settles the completions of a group that was not accepted as one, so
// that one that cannot be accepted costs its own URL and no other: it ends as
// failed {handler}. An error means that the frontier accepts nothing any more;
// then the answers are those given before.
func (r *run) oneByOne(ctx context.Context, group []frontier.Completion) ([]frontier.Answer, error) {
	answers := make([]frontier.Answer, 0, len(group))
	for i, c := range group {
		answer, refused := r.f.Complete(ctx, c)
		if refused != nil {
			var err error
			group[i] = c.Lease.Failed(frontier.ReasonHandler, detailed(c.Evidence, refused))
			if answer, err = r.f.Complete(ctx, group[i]); err != nil {
				return answers, err
			}
			r.cfg.Log.Error("completion refused", "url", c.Lease.URL, "error", refused)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func (r *run) dropAll(group []frontier.Completion) {
	for _, c := range group {
		r.held.drop(c.Lease.ID)
	}
}

func (r *run) answered(c frontier.Completion, a frontier.Answer) {
	if r.cfg.Trace.Settled != nil {
		r.cfg.Trace.Settled(c, a)
	}
	if a.Kind == frontier.Stale || a.Kind == frontier.Conflict {
		r.cfg.Log.Warn("completion not accepted", "url", c.Lease.URL, "answer", a.Kind, "outcome", c.Outcome)
	}
}

// artifactError says that the artifact sink failed, and what to do. It is
// frontier.ErrStorageFailed, as when the store fails: the run stops, resumable.
func artifactError(err error) error {
	advice := "see the cause, and run again"
	if errors.Is(err, storage.ErrNoSpace) {
		advice = "free some space, and run again"
	}
	return fmt.Errorf("weir: artifacts: %w: %w; %s", frontier.ErrStorageFailed, err, advice)
}
