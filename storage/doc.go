// Package storage says what a crawl's state and bytes are kept in: a [Store] of
// ordered keys with fenced, atomic commits, and an [ArtifactSink] of the bytes
// that came from the network.
//
// The two meet in one rule: bytes before references. An artifact is appended and
// synced before the commit that refers to it, so that a crash can leave bytes
// that nothing refers to, and never a reference without its bytes.
//
// Implementations: storage/bolt (the default Store), storage/memory (both, for
// tests), storage/dir (a content-addressed sink). Whoever writes another proves
// it with storage/storetest or storage/sinktest.
//
// The package decides nothing about URLs, leases or retries: package frontier
// does, above any Store.
package storage
