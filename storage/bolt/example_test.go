package bolt_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/bolt"
)

// A fence is claimed, and each commit carries its generation and next sequence.
func Example() {
	dir, err := os.MkdirTemp("", "bolt-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := bolt.Open(bolt.Config{Path: filepath.Join(dir, "frontier.db")})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	ctx, pages := context.Background(), storage.Space{Name: "pages"}
	fence, err := store.Claim(ctx, storage.Fence{Name: "p/0", Owner: "example", TTL: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	fence.Sequence++
	if err := store.Commit(ctx, fence, []storage.Op{{Space: pages, Key: []byte("a.test/"), Value: []byte("done")}}); err != nil {
		log.Fatal(err)
	}
	found, err := store.Read(ctx, storage.ReadRequest{Space: pages, Limit: 10})
	fmt.Printf("%s is %s (%v)\n", found[0].Keys[0], found[0].Values[0], err)
	fmt.Println(store.Commit(ctx, fence, nil))
	// Output:
	// a.test/ is done (<nil>)
	// bolt: commit: fence "p/0": storage: commit is fenced off: generation 1 sequence 1 cannot follow generation 1 sequence 1
}
