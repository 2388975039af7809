// Package bolt answers the question "what did this crawl know when it stopped?":
// it is the default [storage.Store], one bbolt file that one process has open.
//
// Its nouns: the *file*, with a bucket for each space and one for the fences; the
// *lock*, a file beside it that names its holder; the *acknowledged transaction*,
// the last one whose sync has returned; *doubt*, what a failed commit leaves.
//
// A value travels like this. [Store.Commit] waits for its turn, compares the
// fence with the table in memory, sorts the ops by space and key, seals each
// value with a checksum of it and its key, and writes all of them and the fence
// in one bbolt transaction, which is synced before Commit returns. [Store.Read]
// opens one short bbolt transaction, checks the seals, and copies out. It sees
// acknowledged transactions only: one that is visible in the file but not yet
// synced is waited for.
//
// What it guarantees:
//
//   - A commit that has returned survives a power loss. Opening the store again
//     frees every fence, and goes on with the generations and sequences.
//   - A commit that failed leaves doubt, and the file is not used again before
//     that is settled: the last acknowledged state is copied to a new file, which
//     is checked, synced and renamed into place. A failed commit is therefore
//     never applied later, unless the process died before that.
//   - A new store is built under another name and renamed, so that a file that is
//     empty or cut short is damaged, never new.
//   - Damage is storage.ErrCorrupt, at [Open] or when it is first touched: never
//     a panic. Once it was seen, nothing is written any more.
//   - One process at a time: see [Open].
//
// It leaves to others: retrying, and telling what a failed commit means (package
// frontier claims and compares); the check of a whole store (Read of everything
// is one); stores that several machines share (a Store of your own).
//
// Sync is the only durability. bbolt without sync can lose more than the last
// moment: the page that names the root may reach the disk before the root.
package bolt
