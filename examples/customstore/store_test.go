//go:build unix

package main

import (
	"path/filepath"
	"testing"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(dir string) (storage.Store, error) { return Open(filepath.Join(dir, "crawl.log")) })
}
