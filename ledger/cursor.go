package ledger

import (
	"encoding/base64"
	"fmt"

	"github.com/weircrawl/weir/internal/codec"
)

// cursorVersion is of the bytes within a cursor of ours.
const cursorVersion = 1

// cursor names the result at a position as the next one of g.
func (g *Generation) cursor(position uint64) Cursor {
	w := codec.NewWriter(cursorVersion, nil)
	w.String(g.ID)
	w.Uint(g.Sequence)
	w.Int(g.Frozen.UnixNano())
	w.Uint(position)
	return Cursor(base64.RawURLEncoding.EncodeToString(w.Seal()))
}

// position reads a cursor of g, and nothing else: the error wraps ErrCursor, and
// names the generation that the cursor is of.
func (g *Generation) position(c Cursor) (uint64, error) {
	if c == "" {
		return 1, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil {
		return 0, fmt.Errorf("%w: %q is not one of weir, and this is generation %q: start without one", ErrCursor, clip(string(c)), g.ID)
	}
	r := codec.NewReader(raw, cursorVersion)
	id := r.String()
	r.Uint()
	r.Int()
	position := r.Uint()
	switch err := r.Close(); {
	case err != nil:
		return 0, fmt.Errorf("%w: %q is damaged (%w), and this is generation %q: start without one", ErrCursor, clip(string(c)), err, g.ID)
	case id != g.ID:
		return 0, fmt.Errorf("%w: it is of generation %q, this is %q: open that one, or start without a cursor", ErrCursor, id, g.ID)
	case g.cursor(position) != c:
		return 0, fmt.Errorf("%w: it is of another store's generation %q: open that store, or start without a cursor", ErrCursor, id)
	case position == 0 || position > g.Last:
		return 0, fmt.Errorf("%w: it leads behind the end of generation %q", ErrCursor, id)
	}
	return position, nil
}
