package urlnorm

// MaxLength is the most bytes that a reference or a request may have.
const MaxLength = 8 << 10

// Versions of the rules, part of every key. A change of what a rule folds needs
// a new version, or old and new keys would be compared.
const (
	exactVersion    = "1"
	standardVersion = exactVersion + "t" + trackingVersion
)

// Standard resolves as browsers do and compares by RFC 3986, leaving tracking
// parameters out of the key. The zero value is ready for use.
type Standard struct {
	// Params classes query parameters, by site (registrable domain, or host
	// where there is none) and by name. It goes before the tracking set, and a
	// digest of a site's classes is in the Version of that site's keys. It must
	// not change while the Normalizer is in use.
	Params map[string]map[string]Class
}

// Normalize implements Normalizer. The result may share memory with base and ref.
func (s Standard) Normalize(base *URL, ref string) (URL, error) {
	return rules{version: standardVersion, tracking: true, params: s.Params}.normalize(base, ref)
}

// StandardExact is Standard without its tracking set: only Params takes anything
// out of a key.
type StandardExact struct {
	Params map[string]map[string]Class // as in Standard
}

// Normalize implements Normalizer. The result may share memory with base and ref.
func (s StandardExact) Normalize(base *URL, ref string) (URL, error) {
	return rules{version: exactVersion, params: s.Params}.normalize(base, ref)
}

// rules is what the two normalizers differ in.
type rules struct {
	version  string
	tracking bool
	params   map[string]map[string]Class
}

func (r rules) normalize(base *URL, ref string) (URL, error) {
	request, err := resolve(base, ref)
	if err != nil {
		return URL{}, err
	}
	u := URL{Observed: ref, Request: request}
	r.compare(&u)
	return u, nil
}
