//go:build !race

package links

const raced = false
