package ledger

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAReceiptPrintsItsPagesInOneLineAndHowToGoOn(t *testing.T) {
	s := newShelf(35)
	s.page.Counts.Unresolved = -1
	n := 0
	at("10", func(*Page) error {
		if n++; n < 3 {
			return errors.New("busy")
		}
		return nil
	})(s, nil)
	e := export(s, &box{})
	e.Pages = 2
	assert.Equal(t, `job         finished
verdict     partial_resumable: cut off before page 2 by a bound of the export: pages
expected    35 identities: 35 succeeded, 0 failed, 0 stopped by policy, 0 skipped, ? unresolved
results     20; 0 superseded, 0 duplicate, 0 missing
generation  g1, frozen at a time that is not said
walk        2 pages, 20 results, 230 B, 2 retries
cut off     cut off before page 2 by a bound of the export: pages
goes on     at cursor 20
`, materialize(t, e).String())
}

func TestAReceiptOfNoPageGoesOnAtTheStart(t *testing.T) {
	s := newShelf(35)
	at("", func(*Page) error { return ErrRefused })(s, nil)
	text := materialize(t, export(s, &box{})).String()
	assert.Contains(t, text, "says nothing")
	assert.Contains(t, text, "page 0: refused: ledger: the source refuses")
	assert.Regexp(t, `(?m)^goes on +at the start$`, text)
}

func TestWhatLeadsRoundDoesNotSayThatItGoesOn(t *testing.T) {
	s := newShelf(35)
	at("10", func(p *Page) error { p.Next = "10"; return nil })(s, nil)
	text := materialize(t, export(s, &box{})).String()
	assert.Regexp(t, `(?m)^cut off +page 1: cursor_loop`, text)
	assert.NotContains(t, text, "goes on")
}
