package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
	"github.com/weircrawl/weir/storage/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(dir string) (storage.Store, error) {
		return bolt.Open(bolt.Config{Path: filepath.Join(dir, "frontier.db"), Wait: 50 * time.Millisecond})
	})
}
