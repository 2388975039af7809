// Package memory answers the question "what would a perfect store do?": it keeps
// a crawl's state and artifacts in memory, for tests, and as the reference that
// storetest compares every other store with.
//
// A [Store] is a [storage.Store] and a [storage.ArtifactSink] at once. Its nouns
// are those of package storage: spaces of ordered keys, fences, artifacts. A
// value put by Commit is copied into the ordered tree of its space, and copied
// out again by every Read; an artifact is copied into a list when it is
// appended, and counts as durable once Sync has returned.
//
// It guarantees the whole contract of both interfaces, within one process:
// [Store.Close] keeps what the store holds and [Store.Reopen] opens that again, as
// a file would be; [Store.Crash] is a power loss, which takes the artifacts that
// were not synced. What outlives the process is left to storage/bolt and
// storage/dir.
package memory
