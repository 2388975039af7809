package frontier_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/weircrawl/weir/frontier"
	"github.com/weircrawl/weir/storage/memory"
	"github.com/weircrawl/weir/urlnorm"
)

// An origin is treated as its own policy says, then as its site's, then as all are.
func ExamplePolicyTable() {
	table := frontier.PolicyTable{
		Version: "2026-05",
		Default: frontier.Policy{Delay: 2 * time.Second, Disallow: []string{"/*?sort="}},
		Sites:   map[string]frontier.Policy{"example.com": {Concurrency: 2, Fastest: 500 * time.Millisecond}},
		Origins: map[urlnorm.Origin]frontier.Policy{"https://old.example.com": {Paused: "moving"}},
	}
	if err := table.Validate(); err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(table.Policy("https://old.example.com"))
	fmt.Println(string(text), err)
	// Output: {"version":"2026-05","paused":"moving","delay":"2s","fastest":"500ms","concurrency":2,"disallow":["/*?sort="]} <nil>
}

// A version that is not good is rejected, and the one before stays in force.
func ExampleOpenPolicyFile() {
	dir, err := os.MkdirTemp("", "policy")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // an example's
	path := filepath.Join(dir, "policy.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	write(`{"version": "1", "default": {"delay": "5s"}}`)
	policy, err := frontier.OpenPolicyFile(path, frontier.PolicyFileConfig{Every: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = policy.Close() }() // it never fails

	write(`{"version": "2", "default": {"dealy": "1s"}}`)
	if policy.Reload() != nil { // or wait a minute
		fmt.Println("rejected:", policy.Status().Rejected)
	}
	fmt.Println(policy.Policy("https://example.com").Delay)
	// Output:
	// rejected: 1
	// 5s
}

// An operator pauses an origin while the run goes on; the audit says who, and why.
func ExampleAdmin() {
	ctx, store := context.Background(), memory.New()
	f, err := frontier.Open(ctx, frontier.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }() // a memory store: nothing to lose
	if _, err := f.Enqueue(ctx, frontier.Seed, frontier.Reference{Observed: "https://a.example/"}); err != nil {
		log.Fatal(err)
	}
	admin := f.Admin("ann@example.org")
	if err := admin.Pause(ctx, frontier.Subject{Origin: "https://a.example"}, "their request"); err != nil {
		log.Fatal(err)
	}
	if err := admin.Cancel(ctx, ""); errors.Is(err, frontier.ErrUnsigned) {
		fmt.Println("every change needs a why")
	}
	_, err = f.Lease(ctx, 1)
	fmt.Println(err)

	reader, err := frontier.NewReader(ctx, store, "")
	if err != nil {
		log.Fatal(err)
	}
	for a, err := range reader.Audits(ctx) {
		fmt.Println(a.Who, a.What, a.Subject, a.Why, string(a.After), err)
	}
	// Output:
	// every change needs a why
	// frontier: the run has stopped: stopped {paused: their request}
	// ann@example.org pause https://a.example their request {"paused":"their request"} <nil>
}
