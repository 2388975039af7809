package frontier

// sites counts what is under way at each site, whatever its number of origins, and
// keeps in line the origins that wait for a place there. It is memory alone: a
// successor counts its leases again.
type sites map[string]*site

// site is a registrable domain with something under way.
type site struct {
	inflight int
	line     []uint64        // origins that wait for a place, the first comes first
	inLine   map[uint64]bool // those of line
}

// at is the site of o.
func (s sites) at(o *origin) *site {
	name := o.siteName()
	if s[name] == nil {
		s[name] = &site{}
	}
	return s[name]
}

// siteName is the site of o, which takes some time to find.
func (o *origin) siteName() string {
	if o.site == "" {
		o.site = o.text.Site()
	}
	return o.site
}

// full reports whether the site of o has no place left; then o stands in line.
func (s sites) full(o *origin, most int) bool {
	is := s[o.siteName()]
	if is == nil || is.inflight < most {
		return false
	}
	if !is.inLine[o.id] {
		if is.inLine == nil {
			is.inLine = map[uint64]bool{}
		}
		is.inLine[o.id] = true
		is.line = append(is.line, o.id)
	}
	return true
}

// take counts a request of o.
func (s sites) take(o *origin) { s.at(o).inflight++ }

// leave gives a place of o's site back, and returns the origins that may have it.
func (s sites) leave(o *origin, most int) []uint64 {
	is := s.at(o)
	is.inflight--
	n := min(max(most-is.inflight, 1), len(is.line))
	if is.inflight == 0 {
		n = len(is.line) // nobody else comes by who could wake them
	}
	next := is.line[:n:n]
	is.line = is.line[n:]
	for _, id := range next {
		delete(is.inLine, id)
	}
	if is.inflight <= 0 && len(is.line) == 0 {
		delete(s, o.siteName())
	}
	return next
}

// advance lets origins go on that wait for a place at o's site.
func (t *tx) advance(o *origin) {
	f := t.f
	for _, id := range f.sites.leave(o, t.policyOf(o).SiteConcurrency) {
		f.rouseID(id, t.now)
	}
}
