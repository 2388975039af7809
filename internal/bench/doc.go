// Package bench answers the question "what does it cost to lose nothing?": it
// crawls one site with weir and with crawlers that keep less, in one run on one
// machine, and reports the ratio.
//
// Its nouns: the [Site], endless and computed from page numbers, so that each run
// of each crawler sees the same pages; a [Crawler], which fetches a given number
// of them with 64 requests at once; the *round*, in which a crawler and the
// yardstick take turns on the same machine, in the same state of its caches, its
// disk and its other users.
//
// The yardstick is [Minimal]: an HTTP client, a tokenizer and a map, which keeps
// no page and forgets everything when it ends. weir keeps the bytes of each page,
// the fate of each reference and each transition, durably.
//
// It is a module of its own, because a peer's dependencies are no business of
// weir's. `make bench` runs it; `go test` proves that every crawler fetches what
// it says it does.
package bench
