package frontier

import (
	"context"

	"github.com/weircrawl/weir/urlnorm"
)

// Standing is what the operator's rules say of one URL: the policy of its origin and
// the scope. It stands beside what the site's robots.txt says; whichever is stricter
// holds.
type Standing struct {
	Policy     Policy `json:"policy"` // of its origin, with its defaults
	InScope    bool   `json:"in_scope"`
	Disallowed Reason `json:"disallowed,omitempty"` // by Policy, with the pattern; empty: it is not
}

// Allowed reports whether the operator's rules let the URL be requested.
func (s Standing) Allowed() bool {
	return s.InScope && s.Disallowed == "" && s.Policy.Paused == ""
}

// String says the same in words.
func (s Standing) String() string {
	switch {
	case !s.InScope:
		return string(ReasonScope)
	case s.Disallowed != "":
		return string(s.Disallowed)
	case s.Policy.Paused != "":
		return string(ReasonPaused) + ": " + s.Policy.Paused
	}
	return "allowed"
}

// standing asks the rules in force about the URL.
func (x *explaining) standing(ctx context.Context) error {
	if x.want.reject != "" {
		return nil
	}
	f, err := x.imagined(ctx)
	if err != nil {
		return err
	}
	if err := f.joined(ctx, &x.want); err != nil {
		return err
	}
	u := x.want.url
	if x.url != nil {
		u = urlnorm.URL{Request: x.url.url, Key: x.url.key, Origin: u.Origin}
	}
	p := f.policy(u.Origin)
	t := f.begin(ctx)
	x.is.Policy = &Standing{Policy: p, InScope: f.takes(u), Disallowed: t.disallowed(p, u.Origin, u.Request, u.Key.Text)}
	return nil
}
