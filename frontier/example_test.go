package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
)

// A crawler of one's own asks for leases until the run is over.
func Example() {
	ctx, store := context.Background(), memory.New()
	f, err := frontier.Open(ctx, frontier.Config{Store: store, Policy: frontier.Policy{Delay: -1}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.Enqueue(ctx, frontier.Seed, frontier.Reference{Observed: "http://a.test/"}); err != nil {
		log.Fatal(err)
	}
	for {
		leases, err := f.Lease(ctx, 10)
		if errors.Is(err, frontier.ErrDone) {
			break
		}
		for _, l := range leases {
			err = errors.Join(err, visit(ctx, f, l))
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	reader, err := frontier.NewReader(ctx, store, "") // the newest run
	if err != nil {
		log.Fatal(err)
	}
	for result, err := range reader.Results(ctx, 0) {
		fmt.Println(result.URL, result.State, result.Reason, err)
	}
	// Output:
	// http://a.test/ done fetched <nil>
	// http://a.test/about done missing <nil>
}

// visit stands in for a fetcher: one page links to another, which is missing.
func visit(ctx context.Context, f *frontier.Frontier, l frontier.Lease) error {
	if err := f.Sent(l, time.Now()); err != nil {
		return nil // the lease was lost: nothing may be requested
	}
	done := l.Missing(frontier.Evidence{Status: 404})
	if l.URL == "http://a.test/" {
		done = l.Fetched(frontier.Evidence{Status: 200})
		done.References = []frontier.Reference{{Observed: "/about#team", Rule: "a"}}
	}
	_, err := f.Complete(ctx, done)
	return err
}

// Why was, or wasn't, this crawled?
func ExampleReader_Explain() {
	ctx, store := context.Background(), memory.New()
	f, err := frontier.Open(ctx, frontier.Config{Store: store, Policy: frontier.Policy{Delay: -1}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }() // a memory store: nothing to lose
	if _, err := f.Enqueue(ctx, frontier.Seed, frontier.Reference{Observed: "http://a.test/"}); err != nil {
		log.Fatal(err)
	}
	reader, err := frontier.NewReader(ctx, store, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, url := range []string{"HTTP://A.test:80/#top", "http://b.test/"} {
		e, err := reader.Explain(ctx, url, frontier.ExplainOptions{})
		if err != nil {
			log.Fatal(err)
		}
		if e.Known {
			fmt.Println(e.URL, e.State, "since", e.Admission.Cursor, "seen", e.Seen)
		} else {
			fmt.Println(e.URL, "would be", e.Preview.Decision, e.Preview.Reason)
		}
	}
	// Output:
	// http://a.test/ queued since seed 2.0 seen 1
	// http://b.test/ would be policy_stop out_of_scope
}
