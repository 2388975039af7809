// Package lockfile answers whether this process alone may use something that lies
// in files, and who does if not.
//
// A [Lock] is a locked file, with the name of its holder in it. The system frees it
// when the process dies, however it dies.
//
// It guarantees that no two open locks are of one path at a time, in whatever
// processes of one machine. File systems that several machines share may not keep
// to that; whoever must be sure there needs a fence.
package lockfile
