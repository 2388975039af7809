package frontier

import (
	"fmt"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// A Subject is what an operator's change is about: one origin, all origins of one
// site, or, as the zero Subject, the whole run.
type Subject struct {
	Site   string         // registrable domain
	Origin urlnorm.Origin // as "https://example.com"
}

// String prints s as one word, the way audits and the store have it: "run",
// "site:example.com" or the origin.
func (s Subject) String() string {
	switch {
	case s.Origin != "":
		return string(s.Origin)
	case s.Site != "":
		return sitePrefix + s.Site
	}
	return wholeRun
}

const (
	wholeRun   = "run"
	sitePrefix = "site:"
)

// parseSubject is the reverse of Subject.String.
func parseSubject(text string) Subject {
	if text == wholeRun {
		return Subject{}
	}
	if site, ok := strings.CutPrefix(text, sitePrefix); ok {
		return Subject{Site: site}
	}
	return Subject{Origin: urlnorm.Origin(text)}
}

// fault says why s names nothing, or returns nil.
func (s Subject) fault() error {
	switch {
	case s.Site != "" && s.Origin != "":
		return fmt.Errorf("%w: the subject names the site %.100q and the origin %.100q; name one", ErrBadChange, s.Site, s.Origin)
	case s.Site != "":
		return faulty(siteFault(s.Site))
	case s.Origin != "":
		return faulty(originFault(s.Origin))
	}
	return nil
}

func faulty(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrBadChange, err)
}
