package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
)

// A suite judges the rows of one table.
type suite struct {
	name     string            // folder and file without its ending: "robots/cases"
	file     string            // below the folder of the data
	accepted map[string]string // rows that may fail, by ID, with the reason
	judge    func(data fs.FS, raw json.RawMessage) verdict
}

// A verdict is what became of one row.
type verdict struct {
	id      string // of the row; its number where it has none
	failure string // what is wrong; empty if the row passed
	reason  string // why rows of this kind may fail; empty if only the list of the suite may say so
	foreign bool   // the row is about something that this module does not do
}

// table makes a suite of a table whose rows are of type T. The judge may return a
// verdict without an ID.
func table[T any](file string, accepted map[string]string, judge func(data fs.FS, row T) verdict) suite {
	name, _, _ := strings.Cut(file, ".")
	return suite{name: name, file: file, accepted: accepted, judge: func(data fs.FS, raw json.RawMessage) (v verdict) {
		defer func() {
			if p := recover(); p != nil {
				v.failure = fmt.Sprint("panic: ", p)
			}
		}()
		var row T
		if err := json.Unmarshal(raw, &row); err != nil {
			return verdict{failure: "unreadable row: " + err.Error()}
		}
		return judge(data, row)
	}}
}

// named returns s under another name, for a second look at one table.
func (s suite) named(name string) suite {
	s.name = name
	return s
}

// compare is the verdict on a row of which want is right and got is ours.
func compare(id string, want, got any) verdict {
	if reflect.DeepEqual(want, got) {
		return verdict{id: id}
	}
	return verdict{id: id, failure: fmt.Sprintf("want %s, got %s", show(want), show(got))}
}

// show prints a value on one line, and not more than a reader takes in.
func show(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return cut(fmt.Sprintf("%+v", v))
	}
	return cut(strings.TrimSpace(text.String()))
}

func cut(text string) string {
	if len(text) > showMax {
		return text[:showMax] + "..."
	}
	return text
}

const showMax = 300

// A result is the sum of one suite.
type result struct {
	Suite    string    `json:"suite"`
	Rows     int       `json:"rows"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"` // foreign rows, which are not among Rows
	Failures []failure `json:"failures,omitempty"`
}

// A failure is one row that failed.
type failure struct {
	Row      string `json:"row"`
	What     string `json:"what"`
	Accepted string `json:"accepted,omitempty"` // why; empty if nobody has argued for it
}

// judge runs all suites of which the table is in data.
func judge(data fs.FS, suites []suite) ([]result, error) {
	results := []result{}
	for _, s := range suites {
		raws, err := rows(data, s.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		results = append(results, s.sum(data, raws))
	}
	return results, nil
}

// sum judges every row.
func (s suite) sum(data fs.FS, raws []json.RawMessage) result {
	r := result{Suite: s.name}
	for i, raw := range raws {
		v := s.judge(data, raw)
		if v.foreign {
			r.Skipped++
			continue
		}
		if v.id == "" {
			v.id = fmt.Sprintf("#%d", i+1)
		}
		v.id = cut(v.id)
		r.Rows++
		if v.failure == "" {
			r.Passed++
			continue
		}
		if why, ok := s.accepted[v.id]; ok {
			v.reason = why
		}
		r.Failures = append(r.Failures, failure{v.id, v.failure, v.reason})
	}
	r.Failed = len(r.Failures)
	return r
}

// rows reads a table: one JSON value a line, or an array in which strings are
// comments.
func rows(data fs.FS, file string) (all []json.RawMessage, err error) {
	text, err := fs.ReadFile(data, file)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".json") {
		return array(file, text)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, json.RawMessage(line))
		}
	}
	return all, nil
}

func array(file string, text []byte) (all []json.RawMessage, err error) {
	var values []json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, v := range values {
		if len(v) > 0 && v[0] != '"' {
			all = append(all, v)
		}
	}
	return all, nil
}
