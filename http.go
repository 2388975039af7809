package weir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// Handler shows the crawl to whoever asks over HTTP, which is how other processes see
// one whose store is open in this one:
//
//	GET /status              ledger.Status
//	GET /explain?url=URL     Explanation
//
// as JSON, or as text where the request accepts text/plain and no JSON. It changes
// nothing, and a request costs a bounded amount of work. It knows no login, and tells
// URLs of the crawl: serve it on loopback, or behind what checks who asks.
func (c *Crawler) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, func(ctx context.Context) (fmt.Stringer, error) { return c.Status(ctx) })
	})
	mux.HandleFunc("GET /explain", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, func(ctx context.Context) (fmt.Stringer, error) {
			return c.Explain(ctx, r.URL.Query().Get("url"))
		})
	})
	return mux
}

// showTimeout bounds the work for one request.
const showTimeout = 15 * time.Second

// show answers with what look returns.
func show(w http.ResponseWriter, r *http.Request, look func(ctx context.Context) (fmt.Stringer, error)) {
	ctx, done := context.WithTimeout(r.Context(), showTimeout)
	defer done()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	answer, err := look(ctx)
	if err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "text/plain") && !strings.Contains(accept, "json") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprint(w, answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, frontier.ErrNoURL):
		return http.StatusBadRequest
	case errors.Is(err, frontier.ErrNoRun):
		return http.StatusNotFound
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
