package weir

import (
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// careful is a Normalizer that survives one: a reference on which it panics is
// refused and counted like any other refusal.
type careful struct {
	urlnorm.Normalizer
	log *slog.Logger
}

// rejectPanic is the word under which such a reference is counted.
const rejectPanic urlnorm.Reject = "panic"

// Unwrap returns the Normalizer that c guards: the frontier asks it for its version.
func (c careful) Unwrap() urlnorm.Normalizer { return c.Normalizer }

func (c careful) Normalize(base *urlnorm.URL, ref string) (u urlnorm.URL, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.log.Error("normalizer panicked", "reference", printable(ref), "panic", v, "stack", string(debug.Stack()))
			u, err = urlnorm.URL{}, rejectPanic
		}
	}()
	return c.Normalizer.Normalize(base, ref)
}

// queryCharset is the encoding in which a browser writes the queries of p's
// references; empty for UTF-8.
func (p *Page) queryCharset() string {
	if !isHTML(p.MediaType) {
		return ""
	}
	if name := p.Charset().Name; name != "utf-8" {
		return name
	}
	return ""
}

// printable is a reference as it may stand in a log.
func printable(ref string) string {
	if strings.Contains(ref, "@") {
		return "(not shown: it may hold a password)"
	}
	return ref[:min(len(ref), urlnorm.MaxLength)]
}
