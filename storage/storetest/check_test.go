package storetest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/storage/storetest"
)

var ctx = context.Background()

// A disk is what is left of a memory store when it is closed.
type disk struct {
	mu   sync.Mutex
	last *memory.Store
}

func (d *disk) open() (*memory.Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last = memory.New()
		return d.last, nil
	}
	s, err := d.last.Reopen()
	if err == nil {
		d.last = s
	}
	return s, err
}

func (d *disk) current() *memory.Store {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// A control is a store that breaks one clause of the contract.
type control struct {
	check string
	fault string
	open  func(d *disk) (storage.Store, error)
}

// wrap makes a control of a fault that lies in the methods of an open store.
func wrap(check, fault string, broken func(s *memory.Store) storage.Store) control {
	return control{check, fault, func(d *disk) (storage.Store, error) {
		s, err := d.open()
		if err != nil {
			return nil, err
		}
		return broken(s), nil
	}}
}

func TestEveryCheckBites(t *testing.T) {
	bitten := map[string]bool{}
	for _, c := range allControls() {
		t.Run(c.check+"/"+c.fault, func(t *testing.T) {
			bitten[c.check] = true
			check := named(t, c.check)
			var d disk
			err := check.Run(func() (storage.Store, error) { return c.open(&d) })
			require.Error(t, err, "%q passed a store in which %s", c.check, c.fault)
			require.Contains(t, err.Error(), c.check, "the error names the clause")
		})
	}
	for _, check := range storetest.Checks() {
		assert.True(t, bitten[check.Name], "no store breaks %q", check.Name)
	}
}

func named(t *testing.T, name string) storetest.Check {
	for _, check := range storetest.Checks() {
		if check.Name == name {
			return check
		}
	}
	t.Fatalf("no check %q", name)
	return storetest.Check{}
}

// TestUnbrokenWrapperPasses proves that the controls fail for their faults and
// not for being wrapped.
func TestUnbrokenWrapperPasses(t *testing.T) {
	for _, check := range storetest.Checks() {
		var d disk
		whole := wrap(check.Name, "nothing is broken", func(s *memory.Store) storage.Store { return &broken{Store: s} })
		require.NoError(t, check.Run(func() (storage.Store, error) { return whole.open(&d) }))
	}
}

func TestCheckNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, check := range storetest.Checks() {
		require.False(t, seen[check.Name], check.Name)
		seen[check.Name] = true
	}
}
