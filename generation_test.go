package weir

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// TestADatasetIsGoneOnWithWhateverWasFrozenSince: one was begun of a generation that
// was frozen in the middle, and by now the run and another one have ended.
func TestADatasetIsGoneOnWithWhateverWasFrozenSince(t *testing.T) {
	cfg := over(web(t, pages(20)), memory.New())
	cfg.Workers = 1
	cfg.Run = "first.of.two"
	cfg.Policy = frontier.Policy{Delay: -1} // nobody else is there
	var c *Crawler
	var early *ledger.Generation
	n := 0
	cfg.OnPage = func(ctx context.Context, p *Page) (err error) {
		if n++; n == 10 {
			early, err = c.Freeze(ctx)
		}
		return err
	}
	c, err := New(cfg)
	require.NoError(t, err)
	_, err = c.Run(t.Context(), "http://a.test/")
	require.NoError(t, err)
	require.NotNil(t, early)
	assert.Regexp(t, `^generation first\.of\.two\.1: \d results, frozen \d{4}-.*Z while the run was running$`, early.String())

	to := &ledger.File{Path: t.TempDir() + "/pages.jsonl"}
	export := ledger.Export{From: early, To: to, Page: ledger.PageRequest{Records: 3}, Pages: 1}
	_, err = ledger.Materialize(t.Context(), export)
	require.NoError(t, err)
	require.NoError(t, c.Close())

	cfg.Run = ""
	c, err = New(cfg)
	require.NoError(t, err)
	_, err = c.Run(t.Context(), "http://a.test/")
	require.NoError(t, err)
	export.From, err = c.Generation(t.Context(), "")
	require.NoError(t, err)
	export.Pages = 0
	var other *ledger.OtherGenerationError
	_, err = ledger.Materialize(t.Context(), export)
	require.ErrorAs(t, err, &other)

	held, err := c.Generation(t.Context(), other.Held)
	require.NoError(t, err)
	assert.Equal(t, early.Generation, held.Generation)
	export.From = held
	receipt, err := ledger.Materialize(t.Context(), export)
	require.NoError(t, err)
	assert.EqualValues(t, len(idsOf(t, early)), receipt.Results)
	assert.Empty(t, receipt.Next, "all of it")
	for id, want := range map[string]error{
		"none": frontier.ErrNoGeneration, ".1": frontier.ErrNoGeneration, "none.1": frontier.ErrNoRun,
		"first.of.two.9": frontier.ErrNoGeneration, "first.of.two.": frontier.ErrNoGeneration, "first.of.two": frontier.ErrNoRun,
	} {
		_, err := c.Generation(t.Context(), id)
		assert.ErrorIs(t, err, want, id)
	}
	require.NoError(t, c.Close())
}
