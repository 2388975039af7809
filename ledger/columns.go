package ledger

import (
	"encoding/json"
	"slices"
	"strings"
)

// Columns are fields of Data that a format of tables shows in columns of their own,
// by their dotted paths, as "evidence.status". A key that has a dot in it has no
// path.
type Columns []string

// PageColumns are those that the pages of a crawl are shown with.
func PageColumns() Columns {
	return Columns{"url", "reason", "evidence.status", "finished", "evidence.bytes", "evidence.digest", "attempts", "depth", "target"}
}

// For returns c, or what stands for nil in a dataset whose first row is first:
// PageColumns if it is a page of a crawl of ours, else none.
func (c Columns) For(first Result) Columns {
	if c != nil {
		return c
	}
	cells := Columns{"url", "attempt", "position"}.Cells(first.Data)
	if slices.ContainsFunc(cells, func(c Cell) bool { return c.Kind == NoCell }) {
		return Columns{}
	}
	return PageColumns()
}

// A Cell is the text of one column in one row.
type Cell struct {
	Text string
	Kind CellKind
}

// CellKind says what stands in a cell.
type CellKind uint8

const (
	NoCell CellKind = iota // missing or null
	Text                   // of a string
	JSON                   // of a number, a truth value, an array or an object
)

// Cells returns one cell for each column of a row with these data.
func (c Columns) Cells(data json.RawMessage) []Cell {
	cells := make([]Cell, len(c))
	c.fill(cells, "", data)
	return cells
}

// fill fills the cells of columns that lie at prefix or below it. It reads each
// object once, however many columns are in it.
func (c Columns) fill(cells []Cell, prefix string, value json.RawMessage) {
	var object map[string]json.RawMessage
	if !c.below(prefix) || json.Unmarshal(value, &object) != nil {
		return
	}
	for key, value := range object {
		if strings.Contains(key, ".") {
			continue // it would be the path of another
		}
		path := prefix + key
		for i, column := range c {
			if column == path {
				cells[i] = cellOf(value)
			}
		}
		c.fill(cells, path+".", value)
	}
}

// below reports whether a column lies below prefix.
func (c Columns) below(prefix string) bool {
	return slices.ContainsFunc(c, func(column string) bool { return strings.HasPrefix(column, prefix) })
}

func cellOf(value json.RawMessage) Cell {
	var text string
	switch {
	case string(value) == "null":
		return Cell{}
	case json.Unmarshal(value, &text) == nil:
		return Cell{text, Text}
	}
	return Cell{string(value), JSON}
}
