package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/weircrawl/weir"
	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
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
				if st, err := crawler.Status(context.Background()); err == nil {
					fmt.Fprint(out, begin, line(st), end)
				}
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

func line(st ledger.Status) string {
	waiting := st.States[frontier.Queued] + st.States[frontier.Leased] + st.States[frontier.Waiting]
	return fmt.Sprintf("%d done, %d waiting, %d refused, %d failed; %d of %d URLs, %d requests, %s",
		st.States[frontier.Done], waiting, st.States[frontier.Refused], st.States[frontier.Failed],
		st.Used.URLs, st.Limit.URLs, st.Used.Requests, st.Used.Wall.Round(time.Second/10))
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
