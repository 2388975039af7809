package ledger

import (
	"fmt"
	"strings"
)

// A ConfigError is a [Source] that cannot work as it is configured. It names every
// fault at once. Nothing was asked for; asking again cannot help.
type ConfigError struct {
	Of     string // the type that is configured
	Faults []string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("ledger: %s cannot work: %s", e.Of, strings.Join(e.Faults, "; "))
}
