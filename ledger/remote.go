package ledger

import (
	"fmt"
	"time"
)

// A RetryError is a page that can be had later: its source asks to be left alone
// for After. Whoever asks earlier does what it was asked not to do.
type RetryError struct {
	After time.Duration
	Err   error
}

func (e *RetryError) Error() string { return fmt.Sprintf("%v; ask again after %s", e.Err, e.After) }

func (e *RetryError) Unwrap() error { return e.Err }
