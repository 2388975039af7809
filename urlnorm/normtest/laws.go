package normtest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weircrawl/weir/urlnorm"
)

func observedIsKept(t *trial) {
	for _, a := range t.answers() {
		require.Equal(t, a.ref, a.Observed)
	}
}

func requestIsSendable(t *trial) {
	for _, a := range t.answers() {
		require.NotContains(t, a.Request, "#", "%q: a fragment is never sent", a.ref)
		require.Equal(t, t.exact(nil, a.Request).Request, a.Request, "%q: as a browser writes it", a.ref)
	}
}

func requestIsObserved(t *trial) {
	for _, a := range t.answers() {
		require.Equal(t, behindOrigin(t.exact(a.base, a.ref).Request), behindOrigin(a.Request), "%q: a key may be folded, what is requested never", a.ref)
	}
}

// behindOrigin returns path and query of an absolute request, without a fragment.
func behindOrigin(request string) string {
	request, _, _ = strings.Cut(request, "#")
	_, rest, _ := strings.Cut(request, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return ""
}

func originIsOfRequest(t *trial) {
	for _, a := range t.answers() {
		require.Equal(t, t.exact(nil, a.Request).Origin, a.Origin, "%q: the origin of %s", a.ref, a.Request)
	}
}

func requestIsFixed(t *trial) {
	for _, a := range t.answers() {
		again, err := t.Normalizer.Normalize(nil, a.Request+a.Key.Route())
		require.NoError(t, err, "%q: its request %s", a.ref, a.Request)
		require.Equal(t, []string{a.Request, a.Key.Text}, []string{again.Request, again.Key.Text}, "%q: request and key", a.ref)
	}
}

// maxVersion is what a frontier keeps of a version.
const maxVersion = 256

func versionsAreSites(t *trial) {
	versions := map[string]string{}
	for _, a := range t.answers() {
		require.NotEmpty(t, a.Key.Version, "%q", a.ref)
		require.LessOrEqual(t, len(a.Key.Version), maxVersion, "%q", a.ref)
		known, ok := versions[a.Origin.Site()]
		require.True(t, !ok || known == a.Key.Version, "%q: version %q, and %q for others of %s", a.ref, a.Key.Version, known, a.Origin.Site())
		versions[a.Origin.Site()] = a.Key.Version
	}
}

// identity is what a frontier compares.
type identity struct {
	origin urlnorm.Origin
	text   string
}

func mergesAreNamed(t *trial) {
	unnamed := map[identity]answer{} // the first that no rule folded
	for _, a := range t.answers() {
		if len(a.Folded) > 0 {
			continue
		}
		id := identity{a.Origin, a.Key.Text}
		first, ok := unnamed[id]
		if !ok {
			unnamed[id] = a
			continue
		}
		x, y := t.exact(nil, first.Request).Key, t.exact(nil, a.Request).Key
		require.Equal(t, x, y, "%q and %q have the key %q and no name in Folded", first.ref, a.ref, a.Key.Text)
	}
}

func rulesAreKnown(t *trial) {
	for _, a := range t.answers() {
		for _, rule := range a.Folded {
			require.True(t, slices.Contains(t.Rules, rule), "%q was folded by %q, which Subject.Rules does not name", a.ref, rule)
		}
		if len(a.Folded) > 0 {
			require.NotEqual(t, t.exact(a.base, a.ref).Key.Text, a.Key.Text, "%q: %v changed nothing", a.ref, a.Folded)
		}
	}
}

func refusalsAreNamed(t *trial) {
	for _, ref := range unrequestable {
		_, err := t.Normalizer.Normalize(nil, ref)
		require.Error(t, err, "%.100q was taken", ref)
		var reject urlnorm.Reject
		require.True(t, errors.As(err, &reject) && reject != "", "%.100q: %v is no Reject", ref, err)
	}
}

func answersArePure(t *trial) {
	var wait sync.WaitGroup
	first, others := t.answers(), make([][]answer, 4)
	for i := range others {
		wait.Go(func() {
			other := &trial{Subject: t.Subject}
			defer func() { _ = recover() }() // it has no answers
			others[i] = other.answers()
		})
	}
	wait.Wait()
	for _, other := range others {
		require.Len(t, other, len(first), "references taken at once with others")
		for i := range first {
			require.Equal(t, first[i].URL, other[i].URL, "%q", first[i].ref)
		}
	}
}

func baseIsKept(t *trial) {
	for _, base := range t.bases()[1:] {
		before := *base
		before.Folded, before.Unknown = slices.Clone(base.Folded), slices.Clone(base.Unknown)
		for _, ref := range t.references() {
			_, _ = t.Normalizer.Normalize(base, ref)
			require.Equal(t, before, *base, "after %q", ref)
		}
	}
}

// patience is for all hostile references together, some hundred of 8 KiB: what takes
// linear time needs a hundredth of it, what takes quadratic time far more.
const patience = 3 * time.Second

func hostileIsSurvived(t *trial) {
	base := t.bases()[len(t.bases())-1]
	start := time.Now()
	hostile(func(ref string) {
		u, err := t.Normalizer.Normalize(base, ref)
		require.True(t, err != nil || len(u.Request) <= urlnorm.MaxLength && len(u.Key.Text) <= urlnorm.MaxLength,
			"%.50q of %d bytes: request of %d, key of %d", ref, len(ref), len(u.Request), len(u.Key.Text))
		require.Less(t, time.Since(start), patience, "at %.50q of %d bytes", ref, len(ref))
	})
}
