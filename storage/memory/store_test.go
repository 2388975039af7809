package memory_test

import (
	"sync"
	"testing"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/storage/storetest"
)

// folders gives each folder a store of its own, opened again when it was closed.
func folders() func(dir string) (storage.Store, error) {
	var mu sync.Mutex
	stores := map[string]*memory.Store{}
	return func(dir string) (storage.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		if stores[dir] == nil {
			stores[dir] = memory.New()
			return stores[dir], nil
		}
		s, err := stores[dir].Reopen()
		if err != nil {
			return nil, err
		}
		stores[dir] = s
		return s, nil
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, folders())
}
