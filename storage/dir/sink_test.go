package dir

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

var ctx = context.Background()

var example = storage.Artifact{
	URL: "http://a.test/?q=\xff", Type: "text/html", Truncated: "time",
	Time:    time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
	Request: []byte("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
	Header:  []byte("HTTP/1.1 200 OK\r\n\r\n"),
	Body:    []byte("<p>hello</p>"),
}

func opened(t *testing.T, path string) *Sink {
	t.Helper()
	s, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestSyncNamesTheFileByItsContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	s := opened(t, path)
	ref, err := s.Append(ctx, example)
	require.NoError(t, err)
	require.NoFileExists(t, named(path, ref.Segment))
	require.NoError(t, s.Sync(ctx))

	content, err := os.ReadFile(named(path, ref.Segment))
	require.NoError(t, err)
	want := `weir artifact 1
url: "http://a.test/?q=\xff"
type: "text/html"
truncated: "time"
time: 1767323045000006
request: 32
header: 19
body: 12
digest: sha256:a5652be1ca864d36d25cfb54a41f384e2de1b3acf7513a925d72ed7258fdc0ae

` + "GET / HTTP/1.1\r\nHost: a.test\r\n\r\nHTTP/1.1 200 OK\r\n\r\n<p>hello</p>"
	assert.Equal(t, want, string(content))
	got, err := s.Open(ctx, ref)
	require.NoError(t, err)
	assert.Equal(t, example, got)
}
