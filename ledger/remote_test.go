package ledger

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/weircrawl/weir/internal/backoff"
)

func TestASourceIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	busy := errors.New("busy")
	pause, err := pauseBefore(1, &RetryError{time.Minute, busy})
	assert.NoError(t, err)
	assert.Equal(t, time.Minute, pause)
	pause, err = pauseBefore(3, &RetryError{time.Second, busy})
	assert.NoError(t, err)
	assert.Equal(t, backoff.Bound(3), pause, "never sooner than without")
	_, err = pauseBefore(1, &RetryError{backoff.MaxAsked + 1, busy})
	assert.ErrorIs(t, err, busy, "nobody waits that long")
}
