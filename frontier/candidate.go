package frontier

import (
	"context"
	"errors"

	"github.com/weircrawl/weir/urlnorm"
)

// A candidate is one reference made ready for its decision, outside the writer:
// resolved, keyed and hashed.
type candidate struct {
	ref    Reference
	url    urlnorm.URL
	id     identity
	origin uint64
	reject Reason // of the normalizer; empty where it has a key

	template    string // its pattern, once it was asked for
	templateKey patternKey
}

// maxObserved is how much of a reference as written is kept. Where it is longer, what
// it requests is kept instead; a rejected one is cut.
const maxObserved = 8 * kib

// resolver turns references into candidates, and remembers what one page repeats.
type resolver struct {
	normalizer urlnorm.Normalizer
	bases      map[base]*urlnorm.URL
	last       base // the one asked for last
	lastURL    *urlnorm.URL
	origins    map[urlnorm.Origin]uint64
	seen       map[string]int // by what is observed: a page has one base
	out        []candidate
}

// base is what references are relative to, and the encoding of their queries.
type base struct{ text, charset string }

// candidates resolves refs against the page that holds them, or each against its
// own base.
func candidates(ctx context.Context, n urlnorm.Normalizer, page string, refs []Reference) ([]candidate, error) {
	r := resolver{normalizer: n, out: make([]candidate, 0, len(refs))}
	for i, ref := range refs {
		if i%512 == 511 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if ref.Base == "" {
			ref.Base = page
		}
		ref.Base = concealed(ref.Base)
		if len(ref.Charset) > maxReason {
			ref.Charset = "" // no encoding has such a name
		}
		r.read(ref)
	}
	return r.out, nil
}

func (r *resolver) read(ref Reference) {
	if i, ok := r.seen[ref.Observed]; ok && r.out[i].ref.Base == ref.Base && r.out[i].ref.Charset == ref.Charset && r.out[i].ref.Hint == ref.Hint {
		c := r.out[i]
		c.ref = ref
		c.hide()
		r.out = append(r.out, c)
		return
	}
	if r.seen == nil {
		r.seen = make(map[string]int, cap(r.out))
	}
	r.seen[ref.Observed] = len(r.out)
	c := candidate{ref: ref}
	u, err := r.normalizer.Normalize(r.base(base{ref.Base, ref.Charset}), ref.Observed)
	switch {
	case err != nil:
		c.reject = rejection(err)
	case tooLong(&u):
		c.reject = Reason(urlnorm.TooLong)
	default:
		if ref.Hint {
			u.Key = hinted(u.Key)
		}
		c.url, c.id, c.origin = u, identify(u.Origin, u.Key), r.originOf(u.Origin)
		if len(ref.Observed) >= maxObserved {
			c.ref.Observed = u.Request // what is kept of a reference must lead there again
		}
	}
	c.hide()
	r.out = append(r.out, c)
}

// tooLong reports whether a normalizer's answer is beyond what a row can hold.
func tooLong(u *urlnorm.URL) bool {
	return len(u.Request) > maxObserved || len(u.Key.Text) > maxObserved || len(u.Key.Version) > maxDetail || len(u.Origin) > maxDetail+maxReason
}

// base parses each base once; nil for none and for one that cannot be parsed.
func (r *resolver) base(of base) *urlnorm.URL {
	if of.text == "" {
		return nil
	}
	if of != r.last {
		r.last, r.lastURL = of, r.parse(of)
	}
	return r.lastURL
}

func (r *resolver) parse(of base) *urlnorm.URL {
	if b, ok := r.bases[of]; ok {
		return b
	}
	var parsed *urlnorm.URL
	if u, err := r.normalizer.Normalize(nil, of.text); err == nil {
		u.Charset = of.charset
		parsed = &u
	}
	if r.bases == nil {
		r.bases = map[base]*urlnorm.URL{}
	}
	if len(r.bases) < 64 { // one page has one base, a hostile source any number
		r.bases[of] = parsed
	}
	return parsed
}

func (r *resolver) originOf(o urlnorm.Origin) uint64 {
	if id, ok := r.origins[o]; ok {
		return id
	}
	if r.origins == nil {
		r.origins = map[urlnorm.Origin]uint64{}
	}
	id := originID(o, 0)
	if len(r.origins) < 4096 {
		r.origins[o] = id
	}
	return id
}

// rejection is the word under which a normalizer's error counts.
func rejection(err error) Reason {
	var reject urlnorm.Reject
	if errors.As(err, &reject) && reject != "" {
		return cleanReason(Reason(reject))
	}
	return Reason(urlnorm.Malformed)
}

const maxReason = 64
