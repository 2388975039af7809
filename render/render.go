package render

import (
	"context"
	"net/http"
	"time"

	"github.com/weircrawl/weir/fetch"
)

// DefaultWait is how long a document may take to become quiet.
const DefaultWait = 2 * time.Second

// A Renderer shows pages. It must be safe for concurrent use, and it bounds its
// own memory: a call waits while there is no room for another page.
//
// Render returns the document once it is quiet, or as it is when Request.Wait or
// the context's deadline has passed. An error means that the browser failed, not
// the page, and that another attempt may succeed; a page that is missing, broken,
// empty or a download is a Result. When Render returns, whatever it started has
// ended: no process, connection, timer or file of that page is left. The context
// is the only way to stop it, and stops it within seconds. The slices and maps of
// a Result belong to the caller.
type Renderer interface {
	Render(ctx context.Context, r Request) (Result, error)
}

// Request is one page to show.
type Request struct {
	URL string // to request byte for byte: admitted, and leased

	// Fetch is the browser's only way to the network, for the page and for what
	// belongs to it. It decides about each request and answers in the class of the
	// response; a refusal has no status. It must be safe for concurrent use, and is
	// not called after Render has returned.
	Fetch func(context.Context, fetch.Request) fetch.Response

	Wait time.Duration // for the document to become quiet; default DefaultWait
}

// Result is what a browser shows of one page. Moves, Blocked and Console hold the
// first 100 each.
type Result struct {
	Document []byte      // the DOM, serialized as HTML in UTF-8
	Status   int         // of the main document; 0 if there was no response
	Header   http.Header // likewise
	Moves    []string    // where the page wanted to go, resolved, in order: redirects, scripts, refreshes
	Blocked  []string    // what Fetch refused
	Console  []string    // errors that the page reported
	Quiet    bool        // nothing was loading any more when Document was taken
}
