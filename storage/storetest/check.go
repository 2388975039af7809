package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

// Run runs every check of the kit against the stores that open opens, each in a
// new folder.
func Run(t *testing.T, open func(dir string) (storage.Store, error)) {
	t.Helper()
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.Run(func() (storage.Store, error) { return open(dir) }); err != nil {
				t.Error(err)
			}
		})
	}
}

// Checks returns the whole contract, in the order of reading.
func Checks() []Check {
	var all []Check
	for _, part := range [][]Check{fenceChecks, commitChecks, readChecks, sliceChecks, lifeChecks, raceChecks, historyChecks} {
		all = append(all, part...)
	}
	return all
}

// A Check is one clause of the contract.
type Check struct {
	Name string // the clause as a sentence
	run  func(t *trial)
}

// An Opener opens the store of one check, empty the first time, and afterwards
// with what it held when it was closed.
type Opener func() (storage.Store, error)

// patience bounds one check: a store that needs longer is broken.
const patience = time.Minute

// Run tells what the stores that open opens do otherwise than the clause says.
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
	stores  []storage.Store
	failure string
}

// Errorf implements require.TestingT.
func (t *trial) Errorf(format string, args ...any) {
	t.failure += fmt.Sprintf(format, args...)
}

// FailNow implements require.TestingT: Run recovers t.
func (t *trial) FailNow() { panic(t) }

// open opens the store; the trial closes it at its end.
func (t *trial) open() storage.Store {
	s, err := t.opener()
	require.NoError(t, err, "open")
	t.stores = append(t.stores, s)
	return s
}

// reopen closes s and opens what it left behind.
func (t *trial) reopen(s storage.Store) storage.Store {
	require.NoError(t, s.Close(), "close")
	return t.open()
}

func (t *trial) closeAll() {
	for _, s := range t.stores {
		if err := s.Close(); err != nil && t.failure == "" {
			t.failure = fmt.Sprintf("close: %v", err)
		}
	}
}
