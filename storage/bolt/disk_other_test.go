//go:build unix && !linux

package bolt

var diskRoles = map[string]func(path string) error{}
