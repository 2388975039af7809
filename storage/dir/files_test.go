package dir

import (
	"testing"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/storage/sinktest"
)

// The disk that Open falls back to must do as well as the one it prefers.

func openOnFiles(path string) (storage.ArtifactSink, error) { return openWith(path, disks["files"]) }

func TestSinkOnFiles(t *testing.T) { sinktest.Run(t, openOnFiles) }

func TestKilledSinkOnFilesKeepsWhatWasSynced(t *testing.T) { sinktest.Kill(t, openOnFiles) }
