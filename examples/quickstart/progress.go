package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
)

// progress shows how a run goes until the function it returns is called: in one
// line that is written over on a terminal, else in a line every few seconds.
func progress(crawler *weir.Crawler, out io.Writer) (stop func()) {
	every, begin, end := 5*time.Second, "", "\n"
	if isTerminal(out) {
		every, begin, end = 200*time.Millisecond, "\r\x1b[K", ""
	}
	done := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				fmt.Fprint(out, begin, line(crawler.Summary()), end)
			case <-done:
				fmt.Fprint(out, begin)
				return
			}
		}
	})
	return func() {
		close(done)
		showing.Wait()
	}
}

func line(s frontier.Summary) string {
	return fmt.Sprintf("%d done, %d waiting, %d refused, %d failed; %d of %d URLs, %d requests, %s",
		s.States[frontier.Done], s.Unresolved(), s.States[frontier.Refused], s.States[frontier.Failed],
		s.Slots, s.Limit.URLs, s.Requests, s.Active.Round(time.Second/10))
}

// isTerminal reports whether out is a terminal, as far as a mode tells.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
