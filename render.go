package weir

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/render"
)

// A renderError means that the browser failed, not the page: it is tried again.
type renderError struct{ error }

func (e *renderError) Unwrap() error { return e.error }

// render replaces the document of p by what the Renderer shows, where the Config
// asks for it.
func (r *run) render(ctx context.Context, p *Page) error {
	if r.cfg.Renderer == nil || r.cfg.Render == nil || !isHTML(p.MediaType) || !r.cfg.Render(p) {
		return nil
	}
	result, err := r.cfg.Renderer.Render(ctx, render.Request{URL: p.URL + p.lease.Key.Route(), Fetch: r.browser(p)})
	if err != nil {
		return &renderError{fmt.Errorf("render %s: %w", p.URL, err)}
	}
	p.Rendered = &result
	p.read, p.doc, p.found, p.links = false, nil, nil, nil
	return nil
}

// browser is the only way to the network while p is shown. The document itself
// is the one that was fetched; whatever it loads passes scope, robots and the
// address guard, and takes no more bytes together than one response may.
func (r *run) browser(p *Page) func(context.Context, fetch.Request) fetch.Response {
	var left atomic.Int64
	left.Store(r.budget.Response)
	return func(ctx context.Context, q fetch.Request) fetch.Response {
		if document, _, _ := strings.Cut(q.URL, "#"); document == p.URL {
			return fetch.Response{URL: p.URL, Class: fetch.Fetched, Status: p.Status, Header: p.Header, MediaType: p.MediaType, Body: p.Body, Truncated: p.Truncated}
		}
		if why := r.mayLoad(ctx, p.lease, q.URL); why != "" {
			return blocked(q.URL, why)
		}
		if q.Limit = left.Load(); q.Limit <= 0 {
			return blocked(q.URL, frontier.ReasonBytes)
		}
		response := r.client.Do(ctx, q)
		left.Add(-int64(len(response.Body)))
		return response
	}
}

func blocked(url string, why frontier.Reason) fetch.Response {
	return fetch.Response{URL: url, Class: fetch.Denied, Err: fmt.Errorf("weir: %s was not loaded: %s", url, why)}
}

// mayLoad says why a page may not load url, or nothing. Of another origin the
// rules must be known: a page load is no reason to ask for them.
func (r *run) mayLoad(ctx context.Context, l frontier.Lease, url string) frontier.Reason {
	u, err := r.cfg.Normalizer.Normalize(nil, url)
	switch {
	case err != nil:
		return "malformed"
	case !r.f.Takes(u):
		return frontier.ReasonScope
	case r.rules.allow(ctx, l, u):
		return ""
	}
	return "robots"
}
