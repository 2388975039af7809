package frontier

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/weircrawl/weir/storage"
	"github.com/weircrawl/weir/urlnorm"
)

// Config joins a run to what it needs. Only Store is required; a zero field
// means its default.
type Config struct {
	Store      storage.Store      // the caller's to close
	Run        string             // name of the run, at most 128 bytes; default its number
	Normalizer urlnorm.Normalizer // default urlnorm.Standard{}
	Policy     PolicySource       // default Policy{}: one request at a time an origin, one second apart
	Budget     Budget             // of a new run; on a known one a larger bound is a raise, a smaller one is clamped to what is spent
	Scope      Scope              // of a new run; default the hosts of its first seeds
	// InScope says whether a URL is in scope, where Scope takes it already; default
	// yes. It is asked whenever Scope is, from any goroutine; of the URL only Request,
	// Key and Origin may count. If it panics the run ends with ErrInternal.
	InScope   func(urlnorm.URL) bool
	Robots    string        // version of what reads robots.txt, at most 64 bytes; kept with the run
	Gates     bool          // an origin hands out a gate lease before its URLs
	GateLimit int64         // decoded bytes set aside for a gate; default 512 KiB
	Cache     int64         // bytes of memory for recent identities; default 64 MiB
	TTL       time.Duration // of a lease, unless it is extended; default 60 s
	Deadline  time.Duration // of a request from Sent on: so long an expired lease keeps its origin's slot; default 60 s
	Outage    time.Duration // how long a failing store is tried again; default 60 s
}

func (c Config) withDefaults() Config {
	if c.Normalizer == nil {
		c.Normalizer = urlnorm.Standard{}
	}
	if c.Policy == nil {
		c.Policy = Policy{}
	}
	set(&c.GateLimit, 512*kib)
	set(&c.Cache, 64*mib)
	set(&c.TTL, time.Minute)
	set(&c.Deadline, time.Minute)
	set(&c.Outage, time.Minute)
	c.Budget = c.Budget.WithDefaults()
	return c
}

func (c Config) validate() error {
	var faults []error
	if c.Store == nil {
		faults = append(faults, errors.New("Store is nil; open one with storage/bolt or storage/memory"))
	}
	if len(c.Run) > 128 {
		faults = append(faults, fmt.Errorf("Run has %d bytes; 128 are allowed", len(c.Run)))
	}
	if len(c.Robots) > maxReason || !utf8.ValidString(c.Robots) {
		faults = append(faults, fmt.Errorf("Robots %q is no UTF-8 or has more than %d bytes", c.Robots, maxReason))
	}
	if p, ok := c.Policy.(interface{ Validate() error }); ok {
		faults = append(faults, p.Validate())
	}
	if !utf8.ValidString(c.Run) {
		faults = append(faults, fmt.Errorf("Run %q is no UTF-8", c.Run))
	}
	for _, d := range []struct {
		name string
		is   time.Duration
	}{{"TTL", c.TTL}, {"Deadline", c.Deadline}, {"Outage", c.Outage}} {
		if d.is < 0 {
			faults = append(faults, fmt.Errorf("%s is %s; it must not be negative", d.name, d.is))
		}
	}
	if c.Cache < 0 || c.GateLimit < 0 {
		faults = append(faults, errors.New("Cache and GateLimit must not be negative"))
	}
	return errors.Join(append(faults, c.Budget.Validate(), c.Scope.Validate())...)
}
