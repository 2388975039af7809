package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/weircrawl/weir/frontier"
)

// Fields says where in the answers of a service everything stands, by dotted paths
// as "meta.cursor". An empty path is its default; "-" is of what the service does
// not say.
type Fields struct {
	Records string // array of the results; default "data"
	ID      string // in each record: its stable identity, a text or a number; default "id"

	Next  string // what leads to the next page: missing, null or empty at the end; default "next"
	Token string // query parameter of URL that Next goes into; empty: Next is a URL itself
	Limit string // query parameter of the first page for how many results a page may have; empty: none

	Status  string // word for the state of the job; default "status"
	Success string // false: this page has failed, whatever else it has; default "success"; it may be missing
	Error   string // text for people, of a page that has failed; default "error"

	Ended      string // time when the job ended, RFC 3339; default "-"
	Generation string // name of what is frozen; default "-"

	// Counts of the job; they may be missing.
	Total      string // expected; default "total"
	Succeeded  string // default "-", as the rest
	Failed     string
	Stopped    string
	Skipped    string
	Unresolved string
}

func (f Fields) withDefaults() Fields {
	f.Records, f.ID = cmp.Or(f.Records, "data"), cmp.Or(f.ID, "id")
	f.Next, f.Status = cmp.Or(f.Next, "next"), cmp.Or(f.Status, "status")
	f.Success, f.Error = cmp.Or(f.Success, "success"), cmp.Or(f.Error, "error")
	f.Total = cmp.Or(f.Total, "total")
	for _, path := range f.paths() {
		*path = cmp.Or(*path, "-")
	}
	return f
}

// paths are all paths of f.
func (f *Fields) paths() []*string {
	return []*string{&f.Records, &f.ID, &f.Next, &f.Status, &f.Success, &f.Error, &f.Ended, &f.Generation,
		&f.Total, &f.Succeeded, &f.Failed, &f.Stopped, &f.Skipped, &f.Unresolved}
}

// phases are the words of services for the state of a job.
var phases = map[string]frontier.Phase{
	"completed": frontier.Finished, "complete": frontier.Finished, "done": frontier.Finished,
	"finished": frontier.Finished, "succeeded": frontier.Finished, "success": frontier.Finished,

	"running": frontier.Running, "scraping": frontier.Running, "crawling": frontier.Running,
	"processing": frontier.Running, "in_progress": frontier.Running, "active": frontier.Running,
	"started": frontier.Running, "starting": frontier.Running, "queued": frontier.Running,
	"pending": frontier.Running, "waiting": frontier.Running, "ready": frontier.Running,

	"stopped": frontier.Stopped, "paused": frontier.Stopped,

	"failed": frontier.FailedRun, "failure": frontier.FailedRun, "error": frontier.FailedRun, "errored": frontier.FailedRun,
	"timed_out": frontier.FailedRun, "timed-out": frontier.FailedRun,

	"cancelled": frontier.CancelledRun, "canceled": frontier.CancelledRun, "cancelling": frontier.CancelledRun,
	"aborted": frontier.CancelledRun, "aborting": frontier.CancelledRun,
}

// A reading takes answers apart. Texts of the service get into its errors by quote
// alone.
type reading struct {
	Fields
	quote func(string) string
}

// read takes an answer apart.
func (f reading) read(body []byte) (*answer, string, error) {
	if err := f.succeeded(body); err != nil {
		return nil, "", err
	}
	a := &answer{}
	var err error
	if a.head.Phase, err = f.phase(body); err != nil {
		return nil, "", err
	}
	if a.head.Ended, err = f.ended(body); err != nil {
		return nil, "", err
	}
	if a.head.Counts, err = f.counts(body); err != nil {
		return nil, "", err
	}
	if a.head.Generation, err = f.word(body, f.Generation); err != nil {
		return nil, "", err
	}
	next, err := f.word(body, f.Next)
	if err != nil {
		return nil, "", err
	}
	a.results, err = f.records(body)
	return a, next, err
}

// succeeded is the error of a page that says it is one.
func (f reading) succeeded(body []byte) error {
	ok := true
	if value := lookup(body, f.Success); value != nil && json.Unmarshal(value, &ok) != nil {
		return invalid("%s is neither true nor false", f.Success)
	}
	if ok {
		return nil
	}
	why, err := f.word(body, f.Error)
	if err != nil || why == "" {
		why = "without a reason"
	}
	return fmt.Errorf("%s is false: %s", f.Success, f.quote(why))
}

func (f reading) phase(body []byte) (frontier.Phase, error) {
	if f.Status == "-" {
		return 0, nil
	}
	status, err := f.word(body, f.Status)
	switch phase, ok := phases[strings.ToLower(status)]; {
	case err != nil:
		return 0, err
	case ok:
		return phase, nil
	case status == "":
		return 0, invalid(`no status at %q: set Fields.Status, to "-" if the service says none`, f.Status)
	}
	return 0, invalid("status %s is not known to mean running, stopped, finished, failed or cancelled", f.quote(status))
}

func (f reading) ended(body []byte) (time.Time, error) {
	text, err := f.word(body, f.Ended)
	if err != nil || text == "" {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, invalid("%s is %s, no time of RFC 3339", f.Ended, f.quote(text))
	}
	return at.UTC(), nil
}

func (f reading) counts(body []byte) (Counts, error) {
	c := NoCounts()
	for path, n := range map[*string]*int64{&f.Total: &c.Expected, &f.Succeeded: &c.Succeeded, &f.Failed: &c.Failed,
		&f.Stopped: &c.Stopped, &f.Skipped: &c.Skipped, &f.Unresolved: &c.Unresolved} {
		value := lookup(body, *path)
		if value != nil && (json.Unmarshal(value, n) != nil || *n < 0) {
			return c, invalid("%s is %s, no count", *path, f.quote(string(value)))
		}
	}
	return c, nil
}

// records are the results of the answer.
func (f reading) records(body []byte) ([]Result, error) {
	var records []json.RawMessage
	value := lookup(body, f.Records)
	if value == nil || json.Unmarshal(value, &records) != nil {
		return nil, invalid("no array of records at %q", f.Records)
	}
	results := make([]Result, len(records))
	for i, record := range records {
		id, err := f.word(record, f.ID)
		if err != nil || id == "" {
			return nil, invalid("record %d of the page has no ID at %q: %s", i, f.ID, f.quote(string(record)))
		}
		results[i] = Result{ID: id, Data: record}
	}
	return results, nil
}

// word is the text or number at path; empty where there is none.
func (f reading) word(object json.RawMessage, path string) (string, error) {
	value := lookup(object, path)
	if value == nil {
		return "", nil
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, nil
	}
	if _, err := strconv.ParseFloat(string(value), 64); err != nil {
		return "", invalid("%s is %s, neither a text nor a number", path, f.quote(string(value)))
	}
	return string(value), nil
}

// lookup is the value at a dotted path; nil where there is none, or null.
func lookup(value json.RawMessage, path string) json.RawMessage {
	if path == "-" {
		return nil
	}
	for key := range strings.SplitSeq(path, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return nil
		}
		value = object[key]
	}
	if string(value) == "null" || len(value) == 0 {
		return nil
	}
	return value
}
