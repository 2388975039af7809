package frontier

import (
	"time"

	"github.com/weircrawl/weir/urlnorm"
)

// A PolicySource says how an origin is treated. It is asked at every admission
// and before every lease: it must answer from memory, and be safe for concurrent
// use. An answer that changes is in force from the next decision on.
type PolicySource interface {
	Policy(o urlnorm.Origin) Policy
}

// Policy is how one origin is treated. It is a PolicySource too: the same for
// every origin.
type Policy struct {
	Version     string        // recorded with every decision; default "static/1"
	Paused      string        // why no URL may be leased now; empty: leased
	Delay       time.Duration // between the starts of two requests; default 1 s, negative: none
	Concurrency int           // requests at once; default 1
	URLs        int64         // identities admitted of this origin; default the run's budget
}

// Policy returns p for every origin.
func (p Policy) Policy(urlnorm.Origin) Policy { return p }

// DefaultDelay is the time between two requests to one origin where nobody says
// otherwise.
const DefaultDelay = time.Second

// WithDefaults returns p with every zero field at its default, and no delay as 0.
func (p Policy) WithDefaults() Policy {
	set(&p.Version, "static/1")
	set(&p.Delay, DefaultDelay)
	set(&p.Concurrency, 1)
	p.Delay, p.Concurrency = max(p.Delay, 0), max(p.Concurrency, 1)
	return p
}
