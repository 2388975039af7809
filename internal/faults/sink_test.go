package faults

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/dir"
	"github.com/weircrawl/weir/storage/sinktest"
)

func openDir(t *testing.T, path string) storage.ArtifactSink {
	t.Helper()
	s, err := dir.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

var page = storage.Artifact{URL: "http://a.test/", Body: []byte("<p>a</p>")}

func full(context.Context) error { return fmt.Errorf("disk: %w", storage.ErrNoSpace) }

func TestSinkWithoutFaultIsASink(t *testing.T) {
	sinktest.Run(t, func(path string) (storage.ArtifactSink, error) {
		s, err := dir.Open(path)
		if err != nil {
			return nil, err
		}
		return NewSink(s, func(context.Context, SinkPoint, int64) error { return nil }), nil
	})
}

func TestSinkFailsAtTheBoundaryItIsTold(t *testing.T) {
	for _, c := range []struct {
		name    string
		at      SinkPoint
		call    func(s storage.ArtifactSink, r storage.Ref) error
		applied bool // whether the call took effect all the same
	}{
		{"before append", BeforeAppend, appendPage, false},
		{"after append", AfterAppend, appendPage, true},
		{"before sync", BeforeSync, syncPages, false},
		{"after sync", AfterSync, syncPages, true},
		{"before open", BeforeOpen, openPage, false},
		{"after open", AfterOpen, openPage, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := &counter{ArtifactSink: openDir(t, t.TempDir())}
			r, err := inner.Append(t.Context(), page)
			require.NoError(t, err)
			s := NewSink(inner, NthSink(c.at, 2, full))
			for n := range 3 {
				inner.calls = 0
				err := c.call(s, r)
				if n != 1 {
					require.NoError(t, err, "call %d", n+1)
					continue
				}
				require.ErrorIs(t, err, storage.ErrNoSpace)
				assert.Equal(t, c.applied, inner.calls == 1, "%d calls reached the sink", inner.calls)
			}
		})
	}
}

func appendPage(s storage.ArtifactSink, _ storage.Ref) error {
	_, err := s.Append(context.Background(), page)
	return err
}

func syncPages(s storage.ArtifactSink, _ storage.Ref) error { return s.Sync(context.Background()) }

func openPage(s storage.ArtifactSink, r storage.Ref) error {
	_, err := s.Open(context.Background(), r)
	return err
}

// counter counts the calls that reach a sink.
type counter struct {
	storage.ArtifactSink
	calls int
}

func (c *counter) Append(ctx context.Context, a storage.Artifact) (storage.Ref, error) {
	c.calls++
	return c.ArtifactSink.Append(ctx, a)
}

func (c *counter) Sync(ctx context.Context) error {
	c.calls++
	return c.ArtifactSink.Sync(ctx)
}

func (c *counter) Open(ctx context.Context, r storage.Ref) (storage.Artifact, error) {
	c.calls++
	return c.ArtifactSink.Open(ctx, r)
}

func TestSinkFailsFromThenOn(t *testing.T) {
	s := NewSink(openDir(t, t.TempDir()), FromNthSink(BeforeAppend, 3, full))
	for n := range 5 {
		err := appendPage(s, storage.Ref{})
		if n < 2 {
			require.NoError(t, err, "append %d", n+1)
		} else {
			require.ErrorIs(t, err, storage.ErrNoSpace, "append %d", n+1)
		}
	}
}

func TestSinkWaitsAsLongAsItIsTold(t *testing.T) {
	path := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := NewSink(openDir(t, path), NthSink(BeforeSync, 1, func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		}))
		start := time.Now()
		require.NoError(t, s.Sync(t.Context()))
		require.Equal(t, time.Hour, time.Since(start))
	})
}

func TestSinkEndsTheProcessAtTheBoundary(t *testing.T) {
	const folder = "WEIR_FAULTS_FOLDER"
	if path := os.Getenv(folder); path != "" {
		exit := func(context.Context) error { os.Exit(7); return nil }
		s := NewSink(openDir(t, path), NthSink(AfterAppend, 1, exit))
		_ = appendPage(s, storage.Ref{}) // never returns
		t.Fatal("the process goes on")
	}
	path := filepath.Join(t.TempDir(), "sink")
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), folder+"="+path)
	_ = child.Run() // its code says how it ended
	require.Equal(t, 7, child.ProcessState.ExitCode())
	left, err := os.ReadDir(filepath.Join(path, "tmp"))
	require.NoError(t, err)
	require.Len(t, left, 1, "the artifact that was appended")
}
