package frontier

import (
	"errors"
	"fmt"
	"time"
)

// A Budget is the finite contract of a run. A zero field means its default; no
// value means "unlimited".
type Budget struct {
	URLs           int64         `json:"urls"`            // page identities admitted; default 10,000
	Hints          int64         `json:"hints"`           // hint identities admitted; default 1,000
	Origins        int64         `json:"origins"`         // origins admitted; default 10,000
	Depth          int           `json:"depth"`           // links followed from a seed; default 16
	Pattern        int64         `json:"pattern"`         // distinct URLs of one path pattern; default 1,000
	References     int           `json:"references"`      // decided of one page; default 5,000
	ReferenceBytes int64         `json:"reference_bytes"` // of one page's references; default 1 MiB
	Records        int           `json:"records"`         // emitted for one page; default 1,000
	RecordBytes    int64         `json:"record_bytes"`    // of one page's records; default 1 MiB
	Response       int64         `json:"response"`        // decoded bytes of one response; default 10 MiB
	Bytes          int64         `json:"bytes"`           // decoded bytes of all responses; default 100 GiB
	Renders        int64         `json:"renders"`         // pages rendered; default 1,000
	Redirects      int           `json:"redirects"`       // hops in one chain; default 10
	Attempts       int           `json:"attempts"`        // of one URL and visit; default 4
	Losses         int           `json:"losses"`          // leases of one URL lost to crashes; default 10
	Wall           time.Duration `json:"wall"`            // active time; default 24 h
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// WithDefaults returns b with every zero field at its default.
func (b Budget) WithDefaults() Budget {
	set(&b.URLs, 10_000)
	set(&b.Hints, 1_000)
	set(&b.Origins, 10_000)
	set(&b.Depth, 16)
	set(&b.Pattern, 1_000)
	set(&b.References, 5_000)
	set(&b.ReferenceBytes, mib)
	set(&b.Records, 1_000)
	set(&b.RecordBytes, mib)
	set(&b.Response, 10*mib)
	set(&b.Bytes, 100*gib)
	set(&b.Renders, 1_000)
	set(&b.Redirects, 10)
	set(&b.Attempts, 4)
	set(&b.Losses, 10)
	set(&b.Wall, 24*time.Hour)
	return b
}

func set[T comparable](field *T, standard T) {
	var zero T
	if *field == zero {
		*field = standard
	}
}

// maxRedirects is the most hops that a chain may have.
const maxRedirects = 200

// Validate returns every fault of b; a zero field stands for its default, or for
// the value of the run that goes on.
func (b Budget) Validate() error {
	var faults []error
	for _, f := range b.fields() {
		if *f.value(&b) < 0 {
			faults = append(faults, fmt.Errorf("budget: %s is %d; it must be at least 1, or 0 for the default", f.name, *f.value(&b)))
		}
	}
	if b.Redirects > maxRedirects {
		faults = append(faults, fmt.Errorf("budget: %d redirects; %d are allowed", b.Redirects, maxRedirects))
	}
	if b.Bytes > 0 && b.Response > b.Bytes {
		faults = append(faults, fmt.Errorf("budget: one response may take %d bytes, and all together only %d; raise Bytes or lower Response", b.Response, b.Bytes))
	}
	return errors.Join(faults...)
}

// fits says what is wrong with b as a whole, once its defaults are set.
func (b Budget) fits() error {
	if b.Response > b.Bytes {
		return fmt.Errorf("budget: one response may take %d bytes, and all together only %d; raise Bytes or lower Response", b.Response, b.Bytes)
	}
	return nil
}

// raised returns b with each field that more exceeds taken from more, and the
// names of those fields.
func (b Budget) raised(more Budget) (Budget, []Reason) {
	var names []Reason
	for _, f := range b.fields() {
		if wanted := *f.value(&more); wanted > *f.value(&b) {
			f.set(&b, wanted)
			names = append(names, f.name)
		}
	}
	return b, names
}

// clamped returns b with each field taken from want, but none below what is
// spent.
func (b Budget) clamped(want, spent Budget) Budget {
	for _, f := range b.fields() {
		f.set(&b, max(*f.value(&want), min(*f.value(&b), *f.value(&spent))))
	}
	return b
}

type bound struct {
	name  Reason
	value func(*Budget) *int64
	set   func(*Budget, int64)
}

// fields lists the bounds of a Budget once, for whoever treats them alike.
func (Budget) fields() []bound {
	of := func(name Reason, at func(*Budget) *int64) bound {
		return bound{name, at, func(b *Budget, v int64) { *at(b) = v }}
	}
	small := func(name Reason, at func(*Budget) *int) bound {
		return bound{name,
			func(b *Budget) *int64 { v := int64(*at(b)); return &v },
			func(b *Budget, v int64) { *at(b) = int(v) }}
	}
	return []bound{
		of(ReasonURLs, func(b *Budget) *int64 { return &b.URLs }),
		of(ReasonHints, func(b *Budget) *int64 { return &b.Hints }),
		of(ReasonOrigins, func(b *Budget) *int64 { return &b.Origins }),
		small(ReasonDepth, func(b *Budget) *int { return &b.Depth }),
		of(ReasonPattern, func(b *Budget) *int64 { return &b.Pattern }),
		small(ReasonReferences, func(b *Budget) *int { return &b.References }),
		of("reference_bytes", func(b *Budget) *int64 { return &b.ReferenceBytes }),
		small(ReasonRecords, func(b *Budget) *int { return &b.Records }),
		of("record_bytes", func(b *Budget) *int64 { return &b.RecordBytes }),
		of("response", func(b *Budget) *int64 { return &b.Response }),
		of(ReasonBytes, func(b *Budget) *int64 { return &b.Bytes }),
		of("renders", func(b *Budget) *int64 { return &b.Renders }),
		small(ReasonRedirects, func(b *Budget) *int { return &b.Redirects }),
		small("attempts", func(b *Budget) *int { return &b.Attempts }),
		small("losses", func(b *Budget) *int { return &b.Losses }),
		of(ReasonWall, func(b *Budget) *int64 { return (*int64)(&b.Wall) }),
	}
}
