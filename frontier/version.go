package frontier

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// versionOf names all rules of a normalizer: the version that it puts into a plain
// URL's key and, where it has rules for single sites, a digest of those that it
// puts into theirs. A Normalizer of one's own that has such rules lists the sites
// in a method Sites() []string; one that wraps another has a method
// Unwrap() urlnorm.Normalizer.
func versionOf(n urlnorm.Normalizer) string {
	plain := versionAt(n, "example.com")
	sites := sitesOf(n)
	slices.Sort(sites)
	digest, any := sha256.New(), false
	for _, site := range slices.Compact(sites) {
		if at := versionAt(n, site); at != plain {
			fmt.Fprintf(digest, "%q %q\n", site, at)
			any = true
		}
	}
	if any {
		plain += "@" + hex.EncodeToString(digest.Sum(nil)[:8])
	}
	return plain
}

// storeFormat counts the formats of the rows: 2 has generations.
const storeFormat = 2

// versions are what the run goes on with from now on.
func (f *Frontier) versions() Versions {
	return Versions{Policy: f.policy("").Version, Normalizer: versionOf(f.cfg.Normalizer), Weir: builtFrom(), Store: storeFormat,
		Engine: clipText(f.cfg.Store.Limits().Engine, maxReason), Robots: f.cfg.Robots}
}

const module = "github.com/weircrawl/weir"

// builtFrom is the version of this module in the program, or empty.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			return clipText(m.Version, maxReason)
		}
	}
	return ""
}

func versionAt(n urlnorm.Normalizer, site string) string {
	if strings.Contains(site, ":") {
		site = "[" + site + "]"
	}
	u, _ := n.Normalize(nil, "http://"+site+"/") // one that refuses it has no version
	return clipText(u.Key.Version, maxDetail/2)
}

func sitesOf(n urlnorm.Normalizer) []string {
	switch n := n.(type) {
	case interface{ Sites() []string }:
		return slices.Clone(n.Sites())
	case interface{ Unwrap() urlnorm.Normalizer }:
		return sitesOf(n.Unwrap())
	}
	return nil
}

// sameNormalizer answers ErrNormalizerChanged unless h's run began with n.
func sameNormalizer(h *head, n urlnorm.Normalizer) error {
	if now := versionOf(n); now != h.contract.Normalizer {
		return fmt.Errorf("frontier: open run %q: %w: it began with %q, this is %q; use the one that it began with, or Rekey %q as a run of another name", h.name, ErrNormalizerChanged, h.contract.Normalizer, now, h.name)
	}
	return nil
}
