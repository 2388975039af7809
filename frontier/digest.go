package frontier

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/weircrawl/weir/internal/codec"
	"github.com/weircrawl/weir/storage"
)

const digestPrefix = "sha256:"

// writeDigest keeps a digest of the usual form in 33 bytes, and any other as it
// is.
func writeDigest(w *codec.Writer, d storage.Digest) {
	hexed, ok := strings.CutPrefix(string(d), digestPrefix)
	raw, err := hex.DecodeString(hexed)
	if !ok || err != nil || len(raw) != 32 || hex.EncodeToString(raw) != hexed {
		w.Byte(0)
		w.String(string(d))
		return
	}
	w.Byte(1)
	w.Raw(raw)
}

func readDigest(r *codec.Reader) storage.Digest {
	if r.Byte() == 0 {
		return storage.Digest(r.String())
	}
	return storage.Digest(digestPrefix + hex.EncodeToString(r.Raw(32)))
}

func durationOf(v uint64) time.Duration { return time.Duration(v) }

// damaged marks a fault in a kept value as the store's corruption.
func damaged(s storage.Space, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w", s.Name, storage.ErrCorrupt, err)
}
