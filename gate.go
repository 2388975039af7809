package weir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/robots"
	"github.com/weircrawl/weir/storage"
)

// gate asks an origin for its robots.txt, and opens or ends the origin
// accordingly.
func (r *run) gate(ctx context.Context, l frontier.Lease) (frontier.Completion, error) {
	last, err := robots.DecodeNote(l.Note)
	if err != nil {
		last = robots.Note{} // a record that cannot be read stands for nothing
	}
	g := gateFetch{run: r, lease: l, left: l.Limit}
	record := robots.Fetch(ctx, g.do, l.Origin)
	if g.err != nil {
		return frontier.Completion{}, g.err
	}
	e := frontier.Evidence{Status: record.Status, Bytes: record.Bytes, Digest: g.artifact.Digest, Artifact: g.artifact}
	if record.Err != nil {
		e.Detail = record.Err.Error()
	}
	decided := record.Gate(robots.Visit{Agent: r.agent, Last: last, Policy: r.cfg.Robots, Attempt: l.Attempt, Now: time.Now()})
	if decided.Step != robots.Open {
		return closedGate(l, decided, e), nil
	}
	if !decided.Held {
		decided.Note.Artifact = artifactName(g.artifact)
		r.rules.cache.Put(l.Origin, decided.Rules, decided.Until)
	}
	if err := r.discover(ctx, l.Origin, decided.Rules); err != nil {
		return frontier.Completion{}, err
	}
	note, err := decided.Note.Encode()
	if err != nil {
		return frontier.Completion{}, fmt.Errorf("weir: %s: %w", l.Origin, err)
	}
	return l.Open(note, decided.Until, decided.Note.Delay, e), nil
}

// closedGate settles a gate that does not open.
func closedGate(l frontier.Lease, g robots.Gate, e frontier.Evidence) frontier.Completion {
	why := frontier.Reason(g.Reason)
	switch g.Step {
	case robots.Busy:
		return l.Busy(why, g.After, e)
	case robots.Retry:
		return l.Retry(why, g.After, e)
	case robots.Refuse:
		return l.Ended(frontier.OutcomeRefused, why, e)
	case robots.Fail:
		return l.Ended(frontier.OutcomeFailed, why, e)
	}
	return l.Release(why)
}

// gateFetch makes the exchanges of one gate lease, and keeps their bytes.
type gateFetch struct {
	run      *run
	lease    frontier.Lease
	left     int64       // bytes set aside for all hops together
	artifact storage.Ref // of the last response
	err      error       // what was not the origin's fault
}

// errHops means that redirects of a robots.txt have spent what its file may take.
var errHops = errors.New("redirects have spent the bytes of robots.txt")

// truncatedHops is why the file at the end of them is cut: what is missing may
// forbid something, so that it counts as incomplete.
const truncatedHops = "hops"

// do makes one exchange within the bytes that the hops before it have left.
func (g *gateFetch) do(ctx context.Context, q fetch.Request) fetch.Response {
	if g.left <= 0 {
		return fetch.Response{URL: q.URL, Class: fetch.Content, Err: errHops, Start: time.Now()}
	}
	short := g.left < q.Limit
	q.Limit = min(q.Limit, g.left)
	response, err := g.run.request(ctx, g.lease, q)
	g.left -= int64(len(response.Body))
	if short && response.Truncated == fetch.TruncatedLength {
		response.Truncated, response.Err = truncatedHops, errHops
	}
	if err == nil {
		g.artifact, err = g.run.keepBytes(ctx, response)
	}
	if err != nil {
		g.err = err
		return fetch.Response{URL: q.URL, Class: fetch.Cancelled, Err: err}
	}
	return response
}

// artifactName writes a reference as one string, for a robots.Note. The digest
// stands in the note already.
func artifactName(ref storage.Ref) string {
	ref.Digest = ""
	name, _ := json.Marshal(ref) // strings and numbers: it cannot fail
	return string(name)
}

// artifactOf is the reverse of artifactName.
func artifactOf(n robots.Note) (storage.Ref, error) {
	var ref storage.Ref
	if err := json.Unmarshal([]byte(n.Artifact), &ref); err != nil {
		return ref, fmt.Errorf("weir: artifact of a robots.txt: %w", err)
	}
	ref.Digest = storage.Digest(n.Digest)
	return ref, nil
}
