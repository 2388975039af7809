package weir

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"sync"

	"github.com/PuerkitoBio/goquery"

	"github.com/weircrawl/weir/fetch"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/links"
	"github.com/weircrawl/weir/render"
	"github.com/weircrawl/weir/storage"
)

// A Page is what OnPage sees of one URL, until OnPage returns. What is costly is
// a method, and done when it is first called. A Page is not safe for concurrent
// use.
type Page struct {
	URL       string // that was requested
	Status    int
	Header    http.Header
	MediaType string      // "text/html"; guessed from Body where the header says nothing
	Body      []byte      // decoded bytes, as received otherwise; not to be changed
	Truncated string      // why Body is cut: "length", "time", "disconnect"; empty for a whole one
	Depth     int         // links followed from a seed
	Attempt   int         // of this visit, from 1
	Again     bool        // OnPage has failed on this response before; nothing was requested
	Artifact  storage.Ref // of the response
	Flattened bool        // Doc was nested too deeply: below 500 levels its elements are siblings

	// Rendered is what Config.Renderer made of the page, or nil. Doc, Text and
	// Links are then its document's.
	Rendered *render.Result

	run     *run
	lease   frontier.Lease
	unseen  bool              // no function of the Config looks at it
	decoded []byte            // nil until asked for
	charset fetch.Charset     // once decoded is set
	text    string            // once read is set
	read    bool              // the text was asked for
	found   *links.Result     // nil until asked for
	links   []Link            // nil until asked for
	doc     *goquery.Document // nil until asked for

	mu      sync.Mutex
	sealed  bool // OnPage has returned, or was given up
	follows []frontier.Reference
	records []frontier.Record
	bytes   int64 // of records
}

func newPage(r *run, l frontier.Lease, response fetch.Response, e frontier.Evidence) *Page {
	return &Page{
		URL: l.URL, Status: response.Status, Header: response.Header, MediaType: response.MediaType,
		Body: response.Body, Truncated: response.Truncated, Depth: l.Depth, Attempt: l.Attempt,
		Artifact: e.Artifact, run: r, lease: l,
	}
}

// Referrer returns the URL of the page that led here, or "" for a seed.
func (p *Page) Referrer(ctx context.Context) (string, error) {
	return p.run.f.Parent(ctx, p.lease)
}

// ErrPageClosed is returned by Follow and Emit after OnPage has returned or was
// given up at HandlerTimeout. Nothing was kept.
var ErrPageClosed = errors.New("weir: page is closed: OnPage has returned, or its time is over")

// A LimitError is returned by Follow and Emit for what is beyond a bound of the
// Budget. What was offered or emitted before is kept, unless OnPage returns an
// error.
type LimitError struct {
	Bound     frontier.Reason
	Got, Most int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("weir: %d %s of at most %d: raise the Budget, or keep less", e.Got, e.Bound, e.Most)
}

// Follow offers further references to the frontier, which decides on them when
// the page is accepted. They may be relative.
func (p *Page) Follow(refs ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return ErrPageClosed
	}
	for _, ref := range refs {
		if n := len(p.follows) + 1; n > p.run.budget.References {
			return &LimitError{frontier.ReasonReferences, int64(n), int64(p.run.budget.References)}
		}
		p.follows = append(p.follows, frontier.Reference{Observed: ref, Rule: "follow"})
	}
	return nil
}

// maxKind is how long the kind of a record may be.
const maxKind = 256

// Emit keeps v as JSON in the commit that accepts the page: a crash neither
// loses nor doubles it. The kind names what v is, in 1 to 256 bytes. The bounds
// are Budget.Records and Budget.RecordBytes.
func (p *Page) Emit(kind string, v any) error {
	if kind == "" || len(kind) > maxKind {
		return fmt.Errorf("weir: emit: the kind has %d bytes: name what is kept in 1 to %d", len(kind), maxKind)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("weir: emit %s: %w", kind, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	count, size := int64(len(p.records)+1), p.bytes+int64(len(kind)+len(data))
	budget := p.run.budget
	switch {
	case p.sealed:
		return ErrPageClosed
	case count > int64(budget.Records):
		return &LimitError{frontier.ReasonRecords, count, int64(budget.Records)}
	case size > budget.RecordBytes:
		return &LimitError{"record_bytes", size, budget.RecordBytes}
	}
	p.records, p.bytes = append(p.records, frontier.Record{Kind: kind, Data: data}), size
	return nil
}

// seal ends what OnPage may do, and returns what it did.
func (p *Page) seal() ([]frontier.Reference, []frontier.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sealed = true
	return p.follows, p.records
}

// parseHeader reads a header block, of which the first line is the status.
func parseHeader(block []byte) http.Header {
	reader := textproto.NewReader(bufio.NewReader(bytes.NewReader(block)))
	if _, err := reader.ReadLine(); err != nil {
		return http.Header{}
	}
	header, _ := reader.ReadMIMEHeader() // what can be read is read
	return http.Header(header)
}
