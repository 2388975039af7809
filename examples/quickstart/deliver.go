package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
)

// row is one line of the results: what became of one URL, and what OnPage has
// emitted for it.
type row struct {
	URL      string          `json:"url"`
	State    frontier.State  `json:"state"`
	Reason   frontier.Reason `json:"reason"`
	Status   int             `json:"status,omitempty"`
	Bytes    int64           `json:"bytes,omitempty"`
	Target   string          `json:"target,omitempty"` // of a redirect
	Detail   string          `json:"detail,omitempty"`
	Depth    int             `json:"depth"`
	Attempts int             `json:"attempts"`
	Finished time.Time       `json:"finished"`
	Page     json.RawMessage `json:"page,omitempty"`
}

func rowOf(r frontier.Result) row {
	line := row{URL: r.URL, State: r.State, Reason: r.Reason, Status: r.Evidence.Status, Bytes: r.Evidence.Bytes,
		Target: r.Target, Detail: r.Evidence.Detail, Depth: r.Depth, Attempts: r.Attempts, Finished: r.Finished}
	for _, record := range r.Records {
		line.Page = record.Data
	}
	return line
}

// creatable proves, before a long crawl, that deliver can write to path.
func creatable(path string) error {
	file, err := os.Create(path + ".partial")
	if err != nil {
		return fmt.Errorf("results: %w; choose another -out", err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// deliver writes the results of the newest run to path, all or nothing: under
// another name first, which then takes the place of path.
func deliver(crawler *weir.Crawler, path string) error {
	temporary := path + ".partial"
	file, err := os.Create(temporary)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	err = errors.Join(write(crawler, file), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return fmt.Errorf("results: %w", errors.Join(err, os.Remove(temporary)))
	}
	return nil
}

func write(crawler *weir.Crawler, out io.Writer) error {
	ctx := context.Background()
	reader, err := crawler.Reader(ctx)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(out)
	lines := json.NewEncoder(buffer)
	for result, err := range reader.Results(ctx, 0) {
		if err != nil {
			return err
		}
		if err := lines.Encode(rowOf(result)); err != nil {
			return err
		}
	}
	return buffer.Flush()
}
