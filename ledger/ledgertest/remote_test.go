package ledgertest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
)

// ServeHTTP gives the pages of a paper as a crawl service does: ten results at a
// time, and the URL of the next page.
func (p *paper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	after := ledger.Cursor(r.URL.Query().Get("after"))
	page, err := p.page(ledger.PageRequest{After: after, Records: 10, Bytes: 1 << 20})
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	answer := map[string]any{"success": true, "status": p.ended, "total": page.Counts.Expected}
	if p.named != "" {
		answer["snapshot"] = p.named
	}
	var data []map[string]string
	for _, result := range page.Results {
		data = append(data, map[string]string{"id": result.ID})
	}
	answer["data"] = data
	if page.Next != "" {
		answer["next"] = "?after=" + url.QueryEscape(string(page.Next))
	}
	if after != "" {
		switch p.fault {
		case ledgertest.PageFails:
			http.Error(w, "the database does not answer", http.StatusInternalServerError)
			return
		case ledgertest.PageSaysNo:
			answer = map[string]any{"success": false, "error": "the database does not answer", "status": p.ended, "data": []string{}}
		case ledgertest.CursorLoops:
			answer["next"] = r.URL.String()
		}
	}
	_ = json.NewEncoder(w).Encode(answer) // who asked sees what is missing
}

func TestARemoteServicePassesTheRowsOfItsPromises(t *testing.T) {
	for name, open := range map[string]func(ledgertest.Job) *paper{"frozen": frozen, "ordered": ordered, "honest": honest} {
		t.Run(name, func(t *testing.T) {
			ledgertest.Source(t, func(t *testing.T, j ledgertest.Job) (ledgertest.Subject, error) {
				service := open(j)
				server := httptest.NewServer(service)
				t.Cleanup(server.Close)
				s := service.subject()
				s.Source = &ledger.Remote{URL: server.URL + "/", Ordered: service.keyed, Fields: ledger.Fields{Generation: "snapshot"}}
				return s, nil
			})
		})
	}
}
