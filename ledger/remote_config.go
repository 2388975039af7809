package ledger

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// check returns the URL, or a ConfigError with every fault of m. No fault has a
// value of the configuration: it may be a key.
func (m *Remote) check() (*url.URL, error) {
	base, err := m.base()
	faults := slices.Concat(m.headerFaults(), m.Fields.faults())
	if err != nil {
		faults = append([]string{err.Error()}, faults...)
	}
	if m.MaxBytes < 0 {
		faults = append(faults, "MaxBytes is negative: leave it 0 for the default")
	}
	if m.Timeout < 0 {
		faults = append(faults, "Timeout is negative: leave it 0 for the default")
	}
	if len(faults) > 0 {
		return nil, &ConfigError{"Remote", faults}
	}
	return base, nil
}

// base is the parsed URL.
func (m *Remote) base() (*url.URL, error) {
	base, err := url.Parse(m.URL)
	switch {
	case m.URL == "":
		return nil, errors.New("URL is empty: set it to the address of the job's first page")
	case err != nil:
		return nil, errors.New("URL cannot be parsed")
	case base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "":
		return nil, errors.New("URL is not one of http or https, with a host")
	case base.User != nil:
		return nil, errors.New("URL has credentials: put them into Header")
	}
	base.Fragment = ""
	return base, nil
}

func (m *Remote) headerFaults() (faults []string) {
	for name, values := range m.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			faults = append(faults, fmt.Sprintf("Header: %q is no name of a field", name))
		}
		if slices.ContainsFunc(values, func(v string) bool { return !httpguts.ValidHeaderFieldValue(v) }) {
			faults = append(faults, fmt.Sprintf("Header: a value of %q cannot be sent", name))
		}
	}
	slices.Sort(faults)
	return faults
}

func (f Fields) faults() (faults []string) {
	f = f.withDefaults()
	if f.Records == "-" || f.ID == "-" {
		faults = append(faults, `Fields: Records and ID cannot be "-": without them there are no results`)
	}
	if f.Token != "" && f.Token == f.Limit {
		faults = append(faults, "Fields: Token and Limit are one parameter")
	}
	for _, path := range f.paths() {
		if slices.Contains(strings.Split(*path, "."), "") {
			faults = append(faults, fmt.Sprintf("Fields: the path %q has an empty key", *path))
		}
	}
	return faults
}
