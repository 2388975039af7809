package dir_test

import (
	"testing"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/dir"
	"github.com/weircrawl/weir/storage/sinktest"
)

func open(path string) (storage.ArtifactSink, error) { return dir.Open(path) }

func TestSink(t *testing.T) { sinktest.Run(t, open) }

func TestKilledSinkKeepsWhatWasSynced(t *testing.T) { sinktest.Kill(t, open) }
