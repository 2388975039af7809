package dir

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADiskThatTakesLessGetsTheRest(t *testing.T) {
	parts := [][]byte{{}, []byte("head"), {}, []byte("body"), {}}
	for n := range len("headbody") + 1 {
		assert.Equal(t, "headbody"[n:], string(bytes.Join(skip(parts, n), nil)), n)
	}
	assert.Equal(t, "headbody", string(bytes.Join(parts, nil)), "the caller's parts are not changed")
}

func TestAFileIsNewOrTheDiskSaysWhatIsThere(t *testing.T) {
	v := &volume{}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, v.write(path, []byte("one"), nil, []byte("two")))
	assert.ErrorIs(t, v.write(path, []byte("three")), os.ErrExist)
	require.NoError(t, v.rename(path, path+"2"))
	assert.ErrorIs(t, v.rename(path, path+"3"), os.ErrNotExist)
	content, err := os.ReadFile(path + "2")
	require.NoError(t, err)
	assert.Equal(t, "onetwo", string(content))
}
