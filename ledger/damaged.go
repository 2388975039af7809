package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrDamaged is every error of damage: a dataset, a receipt, or what a [File] keeps
// beside them is not as Materialize has left it. Each of them is a *[DamagedError].
var ErrDamaged = errors.New("ledger: damaged")

// A DamagedError says what is damaged, and what to do. [ErrDamaged] is it.
type DamagedError struct {
	Page int    // the first page that differs; -1: none in particular
	What string // what is not as it was
	Do   string // what to do; empty: remove the dataset and its receipt, and materialize again
	Err  error  // what it was found by, as a *[RowError]; nil: by comparing
}

func (e *DamagedError) Error() string {
	what, do := e.What, e.Do
	if e.Page >= 0 {
		what = fmt.Sprintf("page %d: %s", e.Page, what)
	}
	if do == "" {
		do = "remove the dataset and its receipt, and materialize it again"
	}
	return fmt.Sprintf("%v: %s: %s", ErrDamaged, what, do)
}

func (e *DamagedError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrDamaged}
	}
	return []error{ErrDamaged, e.Err}
}

// damagedAt is err as what was found when a page was read back. What only hinders
// the reading, as the end of ctx or a disk that fails, is no damage.
func damagedAt(ctx context.Context, page int, err error) error {
	row, found := (*RowError)(nil), (*DamagedError)(nil)
	switch {
	case errors.As(err, &found):
		return err
	case !errors.As(err, &row), ctx.Err() != nil, hindered(err):
		return fmt.Errorf("ledger: page %d: %w", page, err)
	}
	return &DamagedError{Page: page, What: err.Error(), Err: err}
}

// hindered reports that the system could not read a file, whatever is in it.
func hindered(err error) bool {
	number := syscall.Errno(0)
	return errors.As(err, &number)
}

// within says in which step err has come up. Damage and a fault of configuration
// speak for themselves, and the name of this package is said once.
func within(step string, err error) error {
	if config := (*ConfigError)(nil); err == nil || errors.Is(err, ErrDamaged) || errors.As(err, &config) {
		return err
	}
	if strings.Contains(err.Error(), "ledger: ") {
		return fmt.Errorf("%s: %w", step, err)
	}
	return fmt.Errorf("ledger: %s: %w", step, err)
}
