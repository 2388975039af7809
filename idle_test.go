//go:build unix

package weir

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

// S-R5 needs a real clock: it is about the processor.
func TestSR5NothingIsDoneWhileNothingIsReady(t *testing.T) {
	w, mem := web(t, "-- http://a.test/robots.txt --\n-- http://a.test/* --\nHTTP 503\nRetry-After: 60\n"), memory.New()
	cfg := over(w, mem)
	cfg.Workers, cfg.Policy = 16, frontier.Policy{Delay: -1}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	seeds := make([]string, 100)
	for i := range seeds {
		seeds[i] = fmt.Sprintf("http://a.test/%d", i)
	}
	used := make(chan time.Duration, 2)
	for _, at := range []time.Duration{time.Second, 2800 * time.Millisecond} {
		time.AfterFunc(at, func() { used <- processorTime(t) })
	}
	_, err := Run(ctx, cfg, seeds...)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	before := <-used
	assert.Less(t, <-used-before, 100*time.Millisecond)
	assert.Len(t, w.Log(), 2)
}

func processorTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Error(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
