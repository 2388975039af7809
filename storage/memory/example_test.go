package memory_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/memory"
)

// A power loss takes what was not synced: what a commit refers to must be synced
// before.
func ExampleStore_Crash() {
	ctx, store := context.Background(), memory.New()
	kept, err := store.Append(ctx, storage.Artifact{URL: "http://a.test/", Body: []byte("kept")})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Sync(ctx); err != nil {
		log.Fatal(err)
	}
	lost, err := store.Append(ctx, storage.Artifact{URL: "http://b.test/", Body: []byte("lost")})
	if err != nil {
		log.Fatal(err)
	}
	store.Crash()
	if store, err = store.Reopen(); err != nil {
		log.Fatal(err)
	}
	artifact, err := store.Open(ctx, kept)
	fmt.Printf("%s %v\n", artifact.Body, err)
	_, err = store.Open(ctx, lost)
	fmt.Println(errors.Is(err, storage.ErrCorrupt))
	// Output:
	// kept <nil>
	// true
}
