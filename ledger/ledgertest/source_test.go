package ledgertest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/ledger/ledgertest"
)

func TestSoundSourcesPassEveryRow(t *testing.T) {
	for name, open := range map[string]func(ledgertest.Job) *paper{"frozen": frozen, "ordered": ordered, "honest": honest} {
		t.Run(name, func(t *testing.T) {
			ledgertest.Source(t, func(_ *testing.T, j ledgertest.Job) (ledgertest.Subject, error) { return open(j).subject(), nil })
		})
		t.Run(name+" and nothing can happen to it", func(t *testing.T) {
			ledgertest.Source(t, func(_ *testing.T, j ledgertest.Job) (ledgertest.Subject, error) {
				return ledgertest.Subject{Source: open(j)}, nil
			})
		})
	}
}

// A wrongSource breaks one row of the matrix.
type wrongSource struct {
	row   int
	fault string
	open  func(ledgertest.Job) *paper
	wrong wrong
}

var wrongSources = []wrongSource{
	{3, "the last cursor leads back to the start", frozen, wrong{answer: func(p *paper, _ ledger.PageRequest, page *ledger.Page) {
		if page.Next == "" {
			page.Next = p.cursor(10)
		}
	}}},
	{3, "a page begins with the last result of the one before", frozen, wrong{answer: func(_ *paper, r ledger.PageRequest, page *ledger.Page) {
		if r.After != "" {
			page.Results = append([]ledger.Result{result("result 009")}, page.Results[:len(page.Results)-1]...)
		}
	}}},
	{3, "a page leaves its last result out", frozen, wrong{answer: func(_ *paper, _ ledger.PageRequest, page *ledger.Page) {
		page.Results = page.Results[:len(page.Results)-1]
	}}},
	{3, "what was asked for once is gone", frozen, wrong{answer: func(p *paper, r ledger.PageRequest, page *ledger.Page) {
		if page.Next == "" {
			p.ids = p.ids[:30]
		}
	}}},
	{4, "the last page of a bounded walk is larger than was asked for", frozen, wrong{request: func(r ledger.PageRequest) ledger.PageRequest {
		r.Records = 10
		return r
	}}},
	{4, "a page that is cut short has no cursor", frozen, wrong{answer: func(_ *paper, r ledger.PageRequest, page *ledger.Page) {
		if r.Records < 10 {
			page.Next = ""
		}
	}}},
	{4, "the cursor of a page that is cut short is that of a full one", frozen, wrong{answer: func(p *paper, r ledger.PageRequest, page *ledger.Page) {
		if r.Records == 3 {
			page.Next = p.cursor(30)
		}
	}}},
	{5, "a page that fails is the end", frozen, wrong{mended: func(p *paper, _ ledger.PageRequest) (ledger.Page, bool) {
		return p.head(), p.fault == ledgertest.PageFails
	}}},
	{5, "success: false is an empty page at the end", frozen, wrong{mended: func(p *paper, _ ledger.PageRequest) (ledger.Page, bool) {
		return p.head(), p.fault == ledgertest.PageSaysNo
	}}},
	{5, "a page that fails is left out, and counted out", frozen, wrong{mended: func(p *paper, _ ledger.PageRequest) (ledger.Page, bool) {
		page := p.head()
		page.Counts = ledger.NoCounts()
		page.Generation = p.named
		return page, p.fault == ledgertest.PageFails
	}}},
	{6, "a cursor that leads to itself is the end", frozen, wrong{mended: func(p *paper, r ledger.PageRequest) (ledger.Page, bool) {
		if p.fault != ledgertest.CursorLoops {
			return ledger.Page{}, false
		}
		page, _ := p.page(r) // of a cursor of its own
		page.Next = ""
		return page, true
	}}},
	{7, "offsets are called a unique order", honest, wrong{answer: func(_ *paper, _ ledger.PageRequest, page *ledger.Page) { page.Ordered = true }}},
	{7, "offsets are called a frozen generation", honest, wrong{answer: func(_ *paper, _ ledger.PageRequest, page *ledger.Page) { page.Generation = "job-7" }}},
	{7, "a frozen generation grows", frozen, wrong{grow: func(p *paper, id string) { p.ids = append(p.ids, "result "+id) }}},
	{8, "a job that has failed is told as finished", frozen, wrong{answer: func(_ *paper, _ ledger.PageRequest, page *ledger.Page) { page.Phase = frontier.Finished }}},
	{8, "a job that was cancelled is told as running", frozen, wrong{answer: func(_ *paper, _ ledger.PageRequest, page *ledger.Page) {
		if page.Phase == frontier.CancelledRun {
			page.Phase = frontier.Running
		}
	}}},
	{8, "a job that has failed has no results", frozen, wrong{answer: func(p *paper, _ ledger.PageRequest, page *ledger.Page) {
		if p.ended == frontier.FailedRun {
			page.Results, page.Next = nil, ""
		}
	}}},
}

func TestEveryRowOfASourceBites(t *testing.T) {
	bitten := map[int]bool{}
	for _, w := range wrongSources {
		t.Run(fmt.Sprintf("row %d/%s", w.row, w.fault), func(t *testing.T) {
			bitten[w.row] = true
			err := sourceRow(t, w.row).Run(func(j ledgertest.Job) (ledgertest.Subject, error) {
				p := w.open(j)
				p.wrong = w.wrong
				return p.subject(), nil
			})
			require.Error(t, err, "row %d passed a source in which %s", w.row, w.fault)
			assert.ErrorContains(t, err, fmt.Sprintf("row %d, ", w.row), "the error names the row")
			t.Log(err)
		})
	}
	for _, c := range ledgertest.SourceChecks() {
		assert.True(t, bitten[c.Row], "no source breaks row %d", c.Row)
	}
}

func sourceRow(t *testing.T, row int) ledgertest.Check[ledgertest.OpenSource] {
	for _, c := range ledgertest.SourceChecks() {
		if c.Row == row {
			return c
		}
	}
	t.Fatalf("no row %d", row)
	return ledgertest.Check[ledgertest.OpenSource]{}
}
