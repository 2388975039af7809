// Package sinktest answers the question "is this an ArtifactSink?": it is the
// contract of [storage.ArtifactSink] as a kit of checks. A sink is done when
// this passes:
//
//	func TestSink(t *testing.T) {
//		sinktest.Run(t, func(dir string) (storage.ArtifactSink, error) { return mysink.Open(dir) })
//	}
//
// and, if it outlives its process, this:
//
//	func TestKilledSinkKeepsWhatWasSynced(t *testing.T) {
//		sinktest.Kill(t, func(dir string) (storage.ArtifactSink, error) { return mysink.Open(dir) })
//	}
//
// A [Check] is one clause of the contract and returns an error that says what
// was expected and what came. Each gets a folder of its own, opens the sink
// there, and opens it again where it looks at what outlasts Close. A sink
// without files keeps what it holds per folder.
//
// The kit guarantees that its checks bite: its own test runs each one against a
// sink that is built to break that clause. It leaves to each sink what only that
// sink can suffer: damaged files, full disks, power loss.
package sinktest
