// Package storetest answers the question "is this a Store?": it is the contract
// of [storage.Store] as a kit of checks. A store is done when this passes:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(dir string) (storage.Store, error) { return mystore.Open(dir) })
//	}
//
// A [Check] is one clause of the contract and returns an error that says what
// was expected and what came. Each gets a folder of its own, opens the store
// there, and opens it again where it looks at what outlasts Close. A store
// without files keeps what it holds per folder.
//
// The kit guarantees that its checks bite: its own test runs each one against
// stores that are built to break that clause alone. It leaves to each backend
// what only that backend can suffer: damaged files, full disks, power loss.
package storetest
