package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/internal/backoff"
	"github.com/weircrawl/weir/storage"
)

// ask gets one page that passes check, and says how often it had to try again.
func (m *materialization) ask(ctx context.Context, r PageRequest, check func(*Page) error) (Page, int, error) {
	for try := 0; ; try++ {
		page, err := m.From.Page(ctx, r)
		if err == nil {
			err = check(&page)
		}
		if err == nil || ctx.Err() != nil || !mendable(err) || try >= m.Retries {
			return page, try, err
		}
		if err := m.pause(ctx, try+1, err); err != nil {
			return page, try, err
		}
	}
}

// pause waits before the given retry of what has failed with cause, unless that
// would end behind the bound of time.
func (m *materialization) pause(ctx context.Context, retry int, cause error) error {
	pause, err := pauseBefore(retry, cause)
	switch {
	case err != nil:
		return err
	case time.Since(m.began)+pause >= m.Time:
		return &pageError{CutTime, fmt.Sprintf("no time to ask again after %s: %v", pause, cause)}
	}
	return m.Wait(ctx, pause)
}

// maxPause bounds the pause that doubles.
const maxPause = 30 * time.Second

// pauseBefore is the pause before the given retry of what has failed with cause:
// never shorter than the source has asked for. A source that asks for more than
// backoff.MaxAsked is not asked again.
func pauseBefore(retry int, cause error) (time.Duration, error) {
	pause := min(backoff.Bound(retry), maxPause)
	if asked := (*RetryError)(nil); errors.As(cause, &asked) {
		pause = max(pause, asked.After)
	}
	if pause > backoff.MaxAsked {
		return 0, cause
	}
	return pause, nil
}

// wait is what an Export does between two tries.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A pageError is why a page cannot be consumed.
type pageError struct {
	class CutOff
	text  string
}

func (e *pageError) Error() string { return e.text }

func invalid(format string, args ...any) error {
	return &pageError{InvalidPage, fmt.Sprintf(format, args...)}
}

// class says under which word err ends a walk.
func class(ctx context.Context, err error) CutOff {
	var own *pageError
	switch {
	case ctx.Err() != nil:
		return CutContext
	case errors.As(err, &own):
		return own.class
	case errors.Is(err, ErrRefused):
		return Refused
	case errors.Is(err, ErrCursor):
		return CursorInvalid
	case errors.Is(err, storage.ErrCorrupt):
		return Unreadable
	}
	return PageFailed
}

// mendable reports that asking again may help.
func mendable(err error) bool {
	if config := (*ConfigError)(nil); errors.As(err, &config) {
		return false
	}
	switch class(context.Background(), err) {
	case PageFailed, InvalidPage:
		return true
	}
	return false
}

// The bounds of what a page may hold.
const (
	maxID     = 4 << 10  // bytes
	maxCursor = 16 << 10 // bytes
	maxName   = 4 << 10  // bytes of a generation
	maxData   = 64 << 20 // bytes of one result
)

// check says why p must not be consumed, and brings its data into the shortest
// form.
func (m *materialization) check(p *Page) error {
	if err := p.sound(); err != nil {
		return err
	}
	switch {
	case m.head != nil && p.Generation != m.head.Generation:
		return &pageError{GenerationChanged, fmt.Sprintf("%s after %s", generation(p.Generation), generation(m.head.Generation))}
	case len(p.Results) > m.Page.Records+len(m.tail):
		return invalid("%d results, at most %d were asked for", len(p.Results), m.Page.Records+len(m.tail))
	case !m.follows(p.Next):
		return &pageError{CursorLoop, fmt.Sprintf("cursor %q was followed before", clip(string(p.Next)))}
	case m.fruitless >= maxFruitless && p.Next != "":
		return &pageError{CursorLoop, fmt.Sprintf("%d pages in a row brought nothing new", m.fruitless)}
	}
	p.Results = slices.Clone(p.Results)
	var buf bytes.Buffer
	for i := range p.Results {
		if err := p.Results[i].check(&buf); err != nil {
			return fmt.Errorf("result %d of the page: %w", i, err)
		}
	}
	var gone int
	if p.Results, gone = m.tail.cut(p.Results); gone > 0 {
		return invalid("%d of the %d results that this page had are not in it any more: to start over, remove the dataset", gone, len(m.tail))
	}
	return nil
}

// sound says why what p says of the whole cannot be kept in a receipt.
func (p *Page) sound() error {
	switch {
	case len(p.Next) > maxCursor:
		return invalid("a cursor of %d bytes, at most %d are possible", len(p.Next), maxCursor)
	case len(p.Generation) > maxName:
		return invalid("a generation whose name has %d bytes, at most %d are possible", len(p.Generation), maxName)
	case !utf8.ValidString(string(p.Next)):
		return invalid("cursor %q is no UTF-8", clip(string(p.Next)))
	case !utf8.ValidString(p.Generation):
		return invalid("generation %q is no UTF-8", clip(p.Generation))
	case p.Phase > frontier.FailedRun:
		return invalid("the job is in phase %d, which is none", p.Phase)
	}
	for _, at := range []time.Time{p.Frozen, p.Ended} {
		if _, err := at.MarshalJSON(); err != nil {
			return invalid("a time that no receipt can have: %v", err)
		}
	}
	return nil
}

func (r *Result) check(buf *bytes.Buffer) error {
	switch {
	case r.ID == "":
		return invalid("it has no ID")
	case len(r.ID) > maxID || !utf8.ValidString(r.ID):
		return invalid("ID %q: an ID is UTF-8 of at most %d bytes", clip(r.ID), maxID)
	case len(r.Data) > maxData:
		return invalid("%q has %d bytes of data, at most %d are possible", r.ID, len(r.Data), maxData)
	case !utf8.Valid(r.Data):
		return invalid("%q has data that is no UTF-8", r.ID)
	case r.State > frontier.Cancelled:
		return invalid("%q is in state %d, which is none", r.ID, r.State)
	}
	buf.Reset()
	if err := json.Compact(buf, r.Data); err != nil {
		return invalid("%q has data that is no JSON value: %v", r.ID, err)
	}
	if buf.Len() != len(r.Data) {
		r.Data = bytes.Clone(buf.Bytes())
	}
	return nil
}

// maxDetail bounds a line for people.
const maxDetail = 256

// clip cuts text to one line for people.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxDetail {
		return text
	}
	n := maxDetail
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
