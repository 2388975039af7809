package sinktest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// Run runs every check of the kit against the sinks that open opens, each in a
// new folder.
func Run(t *testing.T, open func(dir string) (storage.ArtifactSink, error)) {
	t.Helper()
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.Run(func() (storage.ArtifactSink, error) { return open(dir) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// Checks returns the whole contract, in the order of reading.
func Checks() []Check {
	return append(contentChecks, lifeChecks...)
}

// A Check is one clause of the contract.
type Check struct {
	Name string // the clause as a sentence
	run  func(t *trial)
}

// An Opener opens the sink of one check, empty the first time, and afterwards
// with what it held when it was closed.
type Opener func() (storage.ArtifactSink, error)

// patience bounds one check: a sink that needs longer is broken.
const patience = time.Minute

// Run tells what the sinks that open opens do otherwise than the clause says.
func (c Check) Run(open Opener) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	t := &trial{ctx: ctx, opener: open}
	defer func() {
		t.closeAll()
		if p := recover(); p != nil && p != any(t) {
			panic(p)
		}
		if t.failure != "" {
			err = fmt.Errorf("%s: %s", c.Name, t.failure)
		}
	}()
	c.run(t)
	return nil
}

// A trial is one run of one check. It is a require.TestingT that stops the check
// at the first thing that does not hold.
type trial struct {
	ctx     context.Context // lives as long as one check
	opener  Opener
	sinks   []storage.ArtifactSink
	failure string
}

// Errorf implements require.TestingT.
func (t *trial) Errorf(format string, args ...any) {
	t.failure += fmt.Sprintf(format, args...)
}

// FailNow implements require.TestingT: Run recovers t.
func (t *trial) FailNow() { panic(t) }

// open opens the sink; the trial closes it at its end.
func (t *trial) open() storage.ArtifactSink {
	s, err := t.opener()
	require.NoError(t, err, "open")
	t.sinks = append(t.sinks, s)
	return s
}

// reopen closes s and opens what it left behind.
func (t *trial) reopen(s storage.ArtifactSink) storage.ArtifactSink {
	require.NoError(t, s.Close(), "close")
	return t.open()
}

func (t *trial) closeAll() {
	for _, s := range t.sinks {
		if err := s.Close(); err != nil && t.failure == "" {
			t.failure = fmt.Sprintf("close: %v", err)
		}
	}
}

// append appends a, which must succeed.
func (t *trial) append(s storage.ArtifactSink, a storage.Artifact) storage.Ref {
	r, err := s.Append(t.ctx, a)
	require.NoError(t, err, "append %s", a.URL)
	return r
}

func (t *trial) sync(s storage.ArtifactSink) {
	require.NoError(t, s.Sync(t.ctx), "sync")
}

// holds requires that s gives want for r.
func (t *trial) holds(s storage.ArtifactSink, r storage.Ref, want storage.Artifact, when string) {
	got, err := s.Open(t.ctx, r)
	require.NoError(t, err, "open %s %s", want.URL, when)
	require.Empty(t, difference(want, got), "artifact %s %s", want.URL, when)
}
