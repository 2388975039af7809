package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/ledger"
	"github.com/weircrawl/weir/storage/memory"
)

// The receipt of a run can be made at any time, from its store alone.
func ExampleReconcile() {
	ctx, store := context.Background(), memory.New()
	f, err := frontier.Open(ctx, frontier.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Enqueue(ctx, frontier.Seed, frontier.Reference{Observed: "http://a.test/"}); err != nil {
		log.Fatal(err)
	}
	reader, err := frontier.NewReader(ctx, store, "")
	if err != nil {
		log.Fatal(err)
	}
	account := func() {
		receipt, err := ledger.Reconcile(ctx, reader)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s; publishable: %t\n", receipt.Verdict, receipt.Why, receipt.Publishable())
	}
	account()
	leases, err := f.Lease(ctx, 1)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.Complete(ctx, leases[0].Failed("teapot", frontier.Evidence{Status: 418})); err != nil {
		log.Fatal(err)
	}
	if _, err := f.Lease(ctx, 1); !errors.Is(err, frontier.ErrDone) {
		log.Fatal(err)
	}
	account()
	// Output:
	// partial_resumable: 1 URL unresolved; the run is running {open}; publishable: false
	// complete_with_declared_failures: 1 failed; publishable: true
}
