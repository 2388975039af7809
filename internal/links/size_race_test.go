//go:build race

package links

// hostileSize is small where the race detector makes every byte ten times dearer.
const hostileSize = 2 << 20
