//go:build pending

package frontier

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage/memory"
)

// expire.go, forfeit: the class of earlier attempts is forgotten.
func TestBoundReachedByAnExpiryFailsWithTheLastClass(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := open(t, memory.New(), func(c *Config) { c.Budget.Attempts = 2; c.TTL = time.Second })
		seed(t, f, "http://a.test/")
		complete(t, f, one(t, f).Retry("timeout", time.Second, Evidence{}))
		one(t, f)
		done(t, f)
		require.EqualValues(t, 1, endedAs(f.Summary(), Failed, "timeout"), "%+v", f.Summary().Ends)
	})
}
