package weir

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage"
)

// attempt does what l permits, and returns what is to be reported. It reports
// false where the lease is lost: then there is nobody to report to.
func (r *run) attempt(ctx context.Context, l frontier.Lease) (frontier.Completion, bool) {
	if ctx.Err() != nil {
		return l.Release(stopReason(context.Cause(ctx))), true
	}
	work, err := r.held.work(ctx, l)
	if err != nil {
		return r.lost(l, err)
	}
	c, err := r.visit(work, l)
	var barred *frontier.BarredError
	switch {
	case err == nil:
		return c, true
	case errors.As(err, &barred):
		return l.Release(barred.Reason), true
	case errors.Is(err, frontier.ErrStale):
		return r.lost(l, err)
	case work.Err() == nil:
		r.fail(err)
	}
	return l.Release(stopReason(err)), true
}

// lost drops a lease that is no longer ours: there is nobody to report to.
func (r *run) lost(l frontier.Lease, err error) (frontier.Completion, bool) {
	r.held.drop(l.ID)
	r.cfg.Log.Info("lease lost", "url", l.URL, "error", err)
	if r.cfg.Trace.Lost != nil {
		r.cfg.Trace.Lost(l, err)
	}
	return frontier.Completion{}, false
}

// visit is one attempt. An error means that it could not be made, for no fault
// of the URL.
func (r *run) visit(ctx context.Context, l frontier.Lease) (frontier.Completion, error) {
	switch {
	case l.Gate:
		return r.gate(ctx, l)
	case l.Stored != nil:
		return r.again(ctx, l)
	}
	decision, err := r.rules.decide(ctx, l)
	if err != nil && ctx.Err() != nil {
		return frontier.Completion{}, err
	}
	if err != nil {
		return l.Retry("robots: lost", 0, frontier.Evidence{Detail: err.Error()}), nil
	}
	if !decision.Allowed {
		return l.Refused("robots", frontier.Evidence{Detail: decision.String()}), nil
	}
	response, err := r.request(ctx, l, fetch.Request{URL: l.URL, Limit: l.Limit})
	if err != nil {
		return frontier.Completion{}, err
	}
	e := evidence(response, r.cfg.ParserVersion)
	if e.Artifact, err = r.keepBytes(ctx, response); err != nil {
		return frontier.Completion{}, err
	}
	e.Digest = e.Artifact.Digest
	c := outcome(l, response, e, r.budget.Attempts)
	if c.Outcome != frontier.OutcomeFetched && c.Outcome != frontier.OutcomeTruncated {
		return c, nil
	}
	if l.Hint {
		return r.hint(ctx, c, response)
	}
	return r.show(ctx, c, newPage(r, l, response, e))
}

// request makes the exchange that l permits. The frontier hears of it just
// before: after frontier.ErrStale nothing was sent.
func (r *run) request(ctx context.Context, l frontier.Lease, q fetch.Request) (fetch.Response, error) {
	if err := r.f.Sent(l, time.Now()); err != nil {
		return fetch.Response{}, err
	}
	response := r.client.Do(ctx, q)
	if r.cfg.Trace.Fetched != nil {
		r.cfg.Trace.Fetched(l, response)
	}
	if cause := context.Cause(ctx); errors.Is(cause, frontier.ErrStale) {
		return response, cause
	}
	return response, nil
}

// keepBytes appends a response to the sink; settle makes it durable.
func (r *run) keepBytes(ctx context.Context, response fetch.Response) (storage.Ref, error) {
	if response.Status == 0 {
		return storage.Ref{}, nil
	}
	ref, err := r.sink.Append(ctx, storage.Artifact{
		URL: response.URL, Type: response.MediaType, Truncated: response.Truncated, Time: response.Start.UTC(),
		Request: response.Sent, Header: response.Received, Body: response.Body,
	})
	if err != nil {
		return ref, artifactError(err)
	}
	return ref, nil
}

// again works on a stored response: there is no request, only OnPage.
func (r *run) again(ctx context.Context, l frontier.Lease) (frontier.Completion, error) {
	a, err := r.sink.Open(ctx, l.Stored.Artifact)
	if err != nil && ctx.Err() != nil {
		return frontier.Completion{}, err
	}
	if err != nil {
		e := *l.Stored
		e.Detail = fmt.Sprintf("stored response: %v", err)
		return l.HandlerFailed(e), nil
	}
	response := fetch.Response{URL: a.URL, Class: fetch.Fetched, Status: l.Stored.Status, Header: parseHeader(a.Header),
		MediaType: a.Type, Body: a.Body, Truncated: a.Truncated, Start: a.Time, Latency: l.Stored.Latency}
	page := newPage(r, l, response, *l.Stored)
	page.Again = true
	e := *l.Stored
	e.Parser = r.cfg.ParserVersion
	return r.show(ctx, l.Fetched(e), page)
}
