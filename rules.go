package weir

import (
	"context"
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// rules answers whether URLs may be requested, from the records that gates have
// opened with. What its cache has dropped, or an earlier process has fetched, is
// read from the artifact that the lease's note names.
type rules struct {
	agent string
	sink  storage.ArtifactSink
	cache *robots.Cache
}

func newRules(agent string, sink storage.ArtifactSink) *rules {
	return &rules{agent: agent, sink: sink, cache: robots.NewCache(robots.CacheConfig{})}
}

// decide answers for the URL of l. An error means that the record is lost: then
// nothing may be requested.
func (r *rules) decide(ctx context.Context, l frontier.Lease) (robots.Decision, error) {
	known, err := r.of(ctx, l)
	if err != nil {
		return robots.Decision{}, err
	}
	return known.Decide(r.agent, l.URL), nil
}

// allow answers for a URL that the page of l loads. Of an origin whose rules are
// not at hand, nothing is loaded.
func (r *rules) allow(ctx context.Context, l frontier.Lease, u urlnorm.URL) bool {
	if u.Origin == l.Origin {
		l.URL = u.Request
		decision, err := r.decide(ctx, l)
		return err == nil && decision.Allowed
	}
	known, ok := r.cache.Get(u.Origin, time.Now())
	return ok && known.Decide(r.agent, u.Request).Allowed
}

// of returns the rules of the origin of l.
func (r *rules) of(ctx context.Context, l frontier.Lease) (robots.Rules, error) {
	if known, ok := r.cache.Get(l.Origin, time.Now()); ok {
		return known, nil
	}
	note, err := robots.DecodeNote(l.Note)
	if err != nil {
		return robots.Rules{}, err
	}
	var body []byte
	if note.NeedsBody() {
		if body, err = r.body(ctx, note); err != nil {
			return robots.Rules{}, err
		}
	}
	known := note.Rules(body)
	r.cache.Put(l.Origin, known, later(note.Expires, time.Now().Add(time.Minute)))
	return known, nil
}

func (r *rules) body(ctx context.Context, note robots.Note) ([]byte, error) {
	ref, err := artifactOf(note)
	if err != nil {
		return nil, err
	}
	artifact, err := r.sink.Open(ctx, ref)
	return artifact.Body, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
