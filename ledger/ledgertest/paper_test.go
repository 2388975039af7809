package ledgertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
)

// A paper is a paged result API on one page: results of one time, in the order of
// their IDs.
type paper struct {
	ended frontier.Phase
	named string // of its generation: what is added later is not in it
	keyed bool   // a cursor is the ID before it; else it is an offset

	mu    sync.Mutex
	ids   []string
	fault ledgertest.Fault
	wrong wrong
}

// A wrong is what a paper does otherwise than it should. The zero wrong is none.
type wrong struct {
	request func(r ledger.PageRequest) ledger.PageRequest
	answer  func(p *paper, r ledger.PageRequest, page *ledger.Page)
	mended  func(p *paper, r ledger.PageRequest) (ledger.Page, bool) // instead of a fault
	grow    func(p *paper, id string)
}

// The three kinds of sound sources.
func frozen(j ledgertest.Job) *paper  { return newPaper(j, "job-7", false) }
func ordered(j ledgertest.Job) *paper { return newPaper(j, "", true) }
func honest(j ledgertest.Job) *paper  { return newPaper(j, "", false) }

func newPaper(j ledgertest.Job, named string, keyed bool) *paper {
	p := &paper{ended: j.Ended, named: named, keyed: keyed}
	for i := range j.Results {
		p.ids = append(p.ids, fmt.Sprintf("result %03d", i))
	}
	return p
}

func (p *paper) subject() ledgertest.Subject {
	return ledgertest.Subject{Source: p, Grow: p.grow, Fault: p.spoil}
}

// grow adds a result before all others: it has their time, and a smaller ID.
func (p *paper) grow() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("late %03d", 999-len(p.ids))
	switch {
	case p.wrong.grow != nil:
		p.wrong.grow(p, id)
	case p.named == "":
		p.ids = append([]string{id}, p.ids...)
	}
	return nil
}

func (p *paper) spoil(f ledgertest.Fault) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	return true
}

func (p *paper) Page(_ context.Context, r ledger.PageRequest) (ledger.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault != ledgertest.NoFault && r.After != "" {
		return p.spoilt(r)
	}
	if p.wrong.request != nil {
		r = p.wrong.request(r)
	}
	return p.page(r)
}

func (p *paper) spoilt(r ledger.PageRequest) (ledger.Page, error) {
	if p.wrong.mended != nil {
		if page, ok := p.wrong.mended(p, r); ok {
			return page, nil
		}
	}
	if p.fault != ledgertest.CursorLoops {
		return ledger.Page{}, errors.New("paper: success is false")
	}
	page, err := p.page(r)
	page.Next = r.After
	return page, err
}

// page cuts a page out of all that there is.
func (p *paper) page(r ledger.PageRequest) (ledger.Page, error) {
	at, err := p.place(r.After)
	if err != nil {
		return ledger.Page{}, err
	}
	page, bytes := p.head(), int64(0)
	for _, id := range p.ids[at:] {
		row := result(id)
		bytes += int64(len(row.ID) + len(row.Data))
		if n := len(page.Results); n == r.Records || n > 0 && bytes > r.Bytes {
			break
		}
		page.Results = append(page.Results, row)
	}
	if next := at + len(page.Results); next < len(p.ids) {
		page.Next = p.cursor(next)
	}
	if p.wrong.answer != nil {
		p.wrong.answer(p, r, &page)
	}
	return page, nil
}

// head is what every page says of the whole.
func (p *paper) head() ledger.Page {
	n := int64(len(p.ids))
	return ledger.Page{Generation: p.named, Ordered: p.keyed, Phase: p.ended,
		Counts: ledger.Counts{Expected: n, Succeeded: n}}
}

func result(id string) ledger.Result {
	data, _ := json.Marshal(map[string]string{"title": "of " + id}) // a map of strings
	return ledger.Result{ID: id, State: frontier.Done, Data: data}
}

func (p *paper) cursor(at int) ledger.Cursor {
	if p.keyed {
		return ledger.Cursor("after " + p.ids[at-1])
	}
	return ledger.Cursor(fmt.Sprintf("at %d", at))
}

// place is the index of the first result that follows a cursor.
func (p *paper) place(c ledger.Cursor) (int, error) {
	if c == "" {
		return 0, nil
	}
	if id, ok := strings.CutPrefix(string(c), "after "); ok && p.keyed {
		return slices.IndexFunc(append(p.ids, "~"), func(other string) bool { return other > id }), nil
	}
	text, _ := strings.CutPrefix(string(c), "at ")
	at, err := strconv.Atoi(text)
	if err != nil || p.keyed || at > len(p.ids) {
		return 0, fmt.Errorf("%w: %q", ledger.ErrCursor, c)
	}
	return at, nil
}
