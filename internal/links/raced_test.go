//go:build race

package links

// raced says that the race detector makes every byte about ten times dearer.
const raced = true
