//go:build unix

// Customstore is a Store of one's own in one file, store.go, and shows what a
// store is for: it counts its own runs, and survives between them.
//
//	go run ./examples/customstore            # in a temporary folder
//	go run ./examples/customstore runs.log   # run it again, and again
//
// A crawler takes such a store as weir.Config.Store. This one is complete: it
// passes storetest (see store_test.go). Its log only grows, and all of it is kept
// in memory, so it suits small crawls.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/weircrawl/weir/storage"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "customstore:", err)
		os.Exit(1)
	}
}

// run opens the store twice, as two processes would one after the other.
func run(ctx context.Context, out io.Writer, args []string) error {
	dir, err := os.MkdirTemp("", "customstore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	path := filepath.Join(dir, "runs.log")
	if len(args) > 0 {
		path = args[0]
	}
	for range 2 {
		if err := count(ctx, out, path); err != nil {
			return err
		}
	}
	return nil
}

// count adds one to the number of runs, under a fence of its own.
func count(ctx context.Context, out io.Writer, path string) error {
	store, err := Open(path)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // what was committed is on the disk
	fence, err := store.Claim(ctx, storage.Fence{Name: "p/0", Owner: fmt.Sprintf("process %d", os.Getpid()), TTL: time.Minute})
	if err != nil {
		return err
	}
	state, key := storage.Space{Name: "state"}, []byte("runs")
	found, err := store.Read(ctx, storage.ReadRequest{Space: state, Keys: [][]byte{key}})
	if err != nil {
		return err
	}
	runs := 0
	if value := found[0].Values[0]; value != nil {
		if runs, err = strconv.Atoi(string(value)); err != nil {
			return err
		}
	}
	fence.Sequence++
	err = store.Commit(ctx, fence, []storage.Op{{Space: state, Key: key, Value: strconv.AppendInt(nil, int64(runs+1), 10)}})
	if err == nil {
		fmt.Fprintf(out, "run %d: generation %d, sequence %d\n", runs+1, fence.Generation, fence.Sequence)
	}
	return err
}
