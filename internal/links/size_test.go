//go:build !race

package links

const hostileSize = 10 << 20
