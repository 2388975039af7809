package frontier

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"

	"github.com/weircrawl/weir/urlnorm"
)

// versionOf names all rules of a normalizer: by the version that it puts into a
// plain URL's key, and by what it says of its rules for single sites. A
// Normalizer of one's own that has such rules has a method Version() string; one
// that wraps another has Unwrap() urlnorm.Normalizer.
func versionOf(n urlnorm.Normalizer) string {
	u, _ := n.Normalize(nil, "http://example.com/") // one that refuses it has no version
	version := clip(u.Key.Version, maxDetail/2)
	if sites := siteVersion(n); sites != "" {
		version += "+" + clip(sites, maxDetail/2)
	}
	return version
}

func siteVersion(n urlnorm.Normalizer) string {
	switch n := n.(type) {
	case interface{ Version() string }:
		return n.Version()
	case interface{ Unwrap() urlnorm.Normalizer }:
		return siteVersion(n.Unwrap())
	case urlnorm.Standard, urlnorm.StandardExact:
		return digestOfRules(n)
	}
	return ""
}

// digestOfRules is a digest of a plain value's fields; empty for the zero value.
func digestOfRules(n urlnorm.Normalizer) string {
	text := fmt.Sprintf("%v", n) // maps in the order of their keys
	if text == fmt.Sprintf("%v", reflect.Zero(reflect.TypeOf(n))) {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// sameNormalizer answers ErrNormalizerChanged unless h's run began with n.
func sameNormalizer(h *head, n urlnorm.Normalizer) error {
	if now := versionOf(n); now != h.contract.Normalizer {
		return fmt.Errorf("frontier: open run %q: %w: it began with %q, this is %q", h.name, ErrNormalizerChanged, h.contract.Normalizer, now)
	}
	return nil
}
