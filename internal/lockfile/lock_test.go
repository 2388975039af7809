package lockfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/internal/lockfile"
)

func TestAHeldLockNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := lockfile.Acquire(path)
	require.NoError(t, err)
	_, err = lockfile.Acquire(path)
	held := (*lockfile.HeldError)(nil)
	require.ErrorAs(t, err, &held)
	assert.Equal(t, fmt.Sprintf("process %d", os.Getpid()), held.Holder)
	require.NoError(t, lock.Close())
	lock, err = lockfile.Acquire(path)
	require.NoError(t, err)
	require.NoError(t, lock.Remove())
	assert.NoFileExists(t, path)
}

// Each removes the file that the others may have opened, and be about to lock.
func TestARemovedLockIsHeldByOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for taken := 0; taken < 100; {
				lock, err := lockfile.Acquire(path)
				if held := (*lockfile.HeldError)(nil); errors.As(err, &held) {
					continue
				}
				if !assert.NoError(t, err) {
					return
				}
				taken++
				if assert.True(t, inside.TryLock(), "two hold the lock") {
					runtime.Gosched()
					inside.Unlock()
				}
				assert.NoError(t, lock.Remove())
			}
		})
	}
	all.Wait()
}
