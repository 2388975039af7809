// Package dir answers: how does a crawl keep what it received as plain files,
// each named by its content?
//
// Nouns. A [Sink] is one directory, and a [storage.ArtifactSink]. An artifact is
// one file: a head that a person can read (URL, type, time, sizes, the digest of
// the payload), the request's and the response's header blocks, and the payload
// as it was decoded. A file's name is the digest of all that stands before the
// payload; since the payload's digest stands there too, the name covers every
// byte. Two exchanges with one payload but other headers are two files.
//
//	crawl/artifacts/lock         held by the process that has the sink open
//	crawl/artifacts/tmp/         appended, not yet synced
//	crawl/artifacts/3/3f0c...    named: whole and durable
//
// How one artifact travels. Append writes it whole to a new temporary file.
// Sync makes the bytes of all temporary files durable, renames each to its name,
// and makes the names durable; one Sync serves all that were appended before it
// began, and callers that come while one is at work share the next. Open reads a
// file back and checks name and digest.
//
// Guarantees. After Sync has returned, neither the death of the process nor a
// loss of power takes an artifact away. A named file is whole, except where the
// disk damaged it later: Open then answers [storage.ErrCorrupt]. Appending an
// artifact again replaces its file by an equal one, which renews its time and
// mends damage. What a crash leaves behind in tmp is removed when the sink is
// opened again, and nothing else is ever removed. A Sync that fails breaks the
// sink, because what the system still has to write is unknown then: every later
// Append and Sync answers with that error until the sink is opened anew.
//
// What goes wrong, and what to do:
//
//	ErrUnwritable       the directory cannot be created or written: the text names it
//	storage.ErrLocked   another process has the sink open: the text names its pid
//	storage.ErrNoSpace  the disk is full: free some space, open the sink again
//	storage.ErrCorrupt  the file of a reference is gone or damaged: fetch again
//	storage.ErrVersion  the file was written in a format that this version does not know
//
// On Linux a Sync is two calls of syncfs(2) where the file system is known to
// report every lost write by it; they also write what other programs left unsaved
// there, so a file system that others use heavily makes Sync slower. Elsewhere
// Append syncs its own file and Sync the directories. On Windows, which cannot
// sync a directory, the names are as durable as the file system's own journal.
//
// What to keep, to delete and to compress is left to others.
package dir
