package sinktest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/storage"
)

func TestEveryCheckBites(t *testing.T) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			require.NotEmpty(t, faults[c.Name], "a check without a sink that fails it")
			for i, fault := range faults[c.Name] {
				path := filepath.Join(t.TempDir(), "sink")
				err := c.Run(func() (storage.ArtifactSink, error) {
					s, err := openDir(path)
					if err != nil {
						return nil, err
					}
					return fault(s), nil
				})
				require.Error(t, err, "wrong sink %d passed", i)
				t.Logf("wrong sink %d: %v", i, err)
			}
		})
	}
	assert.Len(t, faults, len(Checks()), "a wrong sink without its check")
}

func TestKillBites(t *testing.T) {
	forgetful := func(path string) (storage.ArtifactSink, error) {
		s, err := openDir(path)
		if err != nil {
			return nil, err
		}
		b := newBuffer(s, filepath.Dir(path))
		return &wrong{ArtifactSink: b, sync: func(context.Context) error { return nil }}, nil
	}
	if folder := os.Getenv(victimsFolder); folder != "" {
		t.Fatal(appendUntilKilled(folder, forgetful))
	}
	require.ErrorContains(t, kill(t.Name(), t.TempDir(), 1, openDir), "was synced")
}
