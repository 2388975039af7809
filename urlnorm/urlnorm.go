package urlnorm

// A Normalizer turns a reference into the URL to request and the key to compare.
// It must be pure, never block, and be safe for concurrent use. Most embed
// Standard, and change the Key that it returns: its Text, and its Version, behind
// which they put a word and a number of their own,
//
//	u.Key.Version += "+mine1"
//
// that change whenever their rules do. Where it is forgotten, an unfinished run goes
// on under other rules, and the same URLs are new to it. Rules must stay the same
// until a run is over: the frontier goes on with it under the Version that it began
// with, and refuses any other (frontier.ErrNormalizerChanged). It knows the Version
// from a URL of example.com: a Normalizer with rules for some sites, which changes the
// Version of their keys alone, lists these sites in a method Sites() []string, those
// of a Standard with Params or Rules in it, too; one that wraps another and has no
// rules for single sites may have a method Unwrap() Normalizer instead.
type Normalizer interface {
	// Normalize resolves ref against base, which is nil for an absolute ref. It
	// must set Observed, Request, Key (both fields) and Origin, which must be that
	// of Request: Standard does. Normalizing Request again must give the same Key;
	// so must Request with Key.Route behind it, where there is one. Two requests that
	// RFC 3986 does not call equal may have one Key only if Folded names a rule. A
	// refusal is a Reject, counted under its word; any other error counts as
	// Malformed. Package urlnorm/normtest tests all this.
	Normalize(base *URL, ref string) (URL, error)
}

// URL is one reference in the three forms that must never be confused.
type URL struct {
	Observed string   // as written, with its fragment
	Request  string   // the bytes to request: absolute, without fragment
	Key      Key      // what is compared
	Origin   Origin   // of Request
	Unknown  []string // query parameters without a class, spelled as in Key, as often as they occur
	Folded   []Rule   // what made the key differ from that of RFC 3986

	// Charset is the encoding of the page, when this is the base of its references:
	// the WHATWG name that fetch found, or nothing for UTF-8. A browser writes what is
	// not ASCII in their queries in it. Normalize leaves it empty: nobody has read
	// the page yet.
	Charset string
}

// Key is equal exactly for one identity within one Origin: both fields are hashed.
// URLs of two origins are two identities, whatever their keys. A rule for one site
// changes the Version of that site's keys and of no other.
type Key struct {
	Version string `json:"version"`
	Text    string `json:"text"`
}

// Origin is scheme, host and port as browsers write them, lower-case and in
// punycode, without a default port or the dot that may end a name:
// "http://example.com:8080".
type Origin string

// Reject is an error whose word is counted: one of the constants, or a
// Normalizer's own.
type Reject string

func (r Reject) Error() string { return "urlnorm: " + string(r) }

const (
	UnsupportedScheme Reject = "unsupported_scheme"
	UserInfo          Reject = "user_info"
	BadPort           Reject = "bad_port"
	BadHost           Reject = "bad_host"
	TooLong           Reject = "too_long"
	Malformed         Reject = "malformed"
)
