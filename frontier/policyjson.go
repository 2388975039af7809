package frontier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// policyJSON is a Policy as files and rows have it.
type policyJSON struct {
	Version         string       `json:"version,omitempty"`
	Paused          string       `json:"paused,omitempty"`
	Delay           jsonDuration `json:"delay,omitempty"`
	Fastest         jsonDuration `json:"fastest,omitempty"`
	Concurrency     int          `json:"concurrency,omitempty"`
	SiteConcurrency int          `json:"site_concurrency,omitempty"`
	URLs            int64        `json:"urls,omitempty"`
	Pattern         int64        `json:"pattern,omitempty"`
	Exempt          []string     `json:"exempt,omitempty"`
	Disallow        []string     `json:"disallow,omitempty"`
}

// jsonDuration is a duration as "1.5s", or "none" where it is negative.
type jsonDuration time.Duration

const noDuration = "none"

func (d jsonDuration) MarshalText() ([]byte, error) {
	if d < 0 {
		return []byte(noDuration), nil
	}
	return []byte(time.Duration(d).String()), nil
}

func (d *jsonDuration) UnmarshalText(text []byte) error {
	if string(text) == noDuration {
		*d = -1
		return nil
	}
	is, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration; write %q or %q", text, "1.5s", noDuration)
	}
	*d = jsonDuration(is)
	return nil
}

// MarshalJSON writes what p says, without its zero fields.
func (p Policy) MarshalJSON() ([]byte, error) {
	return json.Marshal(policyJSON{p.Version, p.Paused, jsonDuration(p.Delay), jsonDuration(p.Fastest),
		p.Concurrency, p.SiteConcurrency, p.URLs, p.Pattern, p.Exempt, p.Disallow})
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses a key that it does not
// know. It does not validate.
func (p *Policy) UnmarshalJSON(b []byte) error {
	var is policyJSON
	if err := strictly(b, &is); err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	*p = Policy{is.Version, is.Paused, time.Duration(is.Delay), time.Duration(is.Fastest),
		is.Concurrency, is.SiteConcurrency, is.URLs, is.Pattern, is.Exempt, is.Disallow}
	return nil
}

// encode is p as a row has it.
func (p Policy) encode() []byte {
	b, _ := json.Marshal(p) // plain values: it cannot fail
	return b
}

// strictly reads one JSON value: a key that to has not, a key that stands twice,
// and anything behind the value are faults.
func strictly(b []byte, to any) error {
	if err := onceEach(json.NewDecoder(bytes.NewReader(b)), maxNesting); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the JSON value")
	}
	return nil
}

// maxNesting is how deep a JSON value of an operator may be.
const maxNesting = 8

// onceEach reads one value, and refuses an object in which a key stands twice: the
// later would hide the earlier. Keys are compared as they are read, without case.
func onceEach(d *json.Decoder, depth int) error {
	token, err := d.Token()
	open, nested := token.(json.Delim)
	if err != nil || !nested {
		return err
	}
	if depth == 0 {
		return fmt.Errorf("it is nested deeper than %d", maxNesting)
	}
	keys := map[string]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name := strings.ToLower(key.(string))
			if keys[name] {
				return fmt.Errorf("key %q stands twice", key)
			}
			keys[name] = true
		}
		if err := onceEach(d, depth-1); err != nil {
			return err
		}
	}
	_, err = d.Token() // its end
	return err
}
