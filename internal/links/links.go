package links

// Options bounds one extraction. The zero value is ready for use.
type Options struct {
	References int    // links kept; default 5,000
	Bytes      int    // bytes of the references kept; default 1 MiB
	Agent      string // product token, for robots meta elements that name one
	NoText     bool   // Link.Text stays empty
}

func (o Options) withDefaults() Options {
	if o.References <= 0 {
		o.References = 5000
	}
	if o.Bytes <= 0 {
		o.Bytes = 1 << 20
	}
	return o
}

// Result is what one page refers to.
type Result struct {
	Base       string // href of the first base element, as written; empty if none
	Links      []Link // in document order
	Beyond     int    // references that the bounds left out
	Example    string // the first of them
	Directives        // what robots meta elements ask for
}

// Link is one reference of a page.
type Link struct {
	Observed string // as written, entities decoded; cut where no URL is that long
	Rule     string // what found it: "a", "img[srcset]", "meta[refresh]", "link[rel=next]"
	Rel      string // rel attribute, as written
	Text     string // of an a element: white space folded, 256 bytes at most
	Offset   int    // of the tag in the page
}

// NoFollow reports whether the link's rel asks crawlers not to follow it.
func (l Link) NoFollow() bool {
	return hasWord(l.Rel, "nofollow")
}

// Followed reports whether rule finds references that lead a reader to a page:
// those of a, area, frame, iframe and meta refresh. Others name parts of a page,
// or relations to it.
func Followed(rule string) bool {
	switch rule {
	case ruleA, ruleArea, ruleFrame, ruleIframe, ruleRefresh:
		return true
	}
	return false
}

// Longest references kept. No URL may be longer than 8 KiB, so one byte more is
// enough to see that a reference is; what a data: URL holds is no reference.
const (
	maxReference = 8<<10 + 1
	maxData      = 64
	maxRel       = 256
)

// add keeps a reference, or counts it as beyond the bounds. It returns the link
// if it was kept.
func (e *extractor) add(observed []byte, rule, rel string) *Link {
	observed = observed[:min(len(observed), maxReference)]
	if isData(observed) {
		observed = observed[:min(len(observed), maxData)]
	}
	if len(e.result.Links) >= e.options.References || e.bytes+len(observed) > e.options.Bytes {
		if e.result.Beyond++; e.result.Beyond == 1 {
			e.result.Example = string(observed)
		}
		return nil
	}
	e.bytes += len(observed)
	e.result.Links = append(e.result.Links, Link{Observed: string(observed), Rule: rule, Rel: rel, Offset: e.start})
	return &e.result.Links[len(e.result.Links)-1]
}
