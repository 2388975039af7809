package urlnorm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// validate returns everything that r says and that can have no effect, in one order.
func (r rules) validate() error {
	var faults []error
	for _, site := range sorted(r.params) {
		faults = append(faults, validSite("Params", site))
		for _, name := range sorted(r.params[site]) {
			faults = append(faults, validParam(site, name, r.params[site][name]))
		}
	}
	for _, site := range sorted(r.rules) {
		faults = append(faults, validSite("Rules", site), validRules(site, r.rules[site]))
	}
	return errors.Join(faults...)
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// validSite reports a name under which no URL looks for what is said of its site.
func validSite(field, site string) error {
	switch is := siteIn(site); is {
	case "":
		return fmt.Errorf("urlnorm: %s: %.300q is no site: write a registrable domain or an address, such as %q", field, site, "example.com")
	case site:
		return nil
	default:
		return fmt.Errorf("urlnorm: %s: %.300q is no site: write %q", field, site, is)
	}
}

// siteIn returns the site that was meant by a URL, a host with a port or a pattern
// of hosts, or nothing.
func siteIn(text string) string {
	text = trimControls(text)
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	text = strings.TrimPrefix(text, "*.")
	if _, err := parseIPv6(text); err == nil {
		text = "[" + text + "]"
	}
	request, err := resolve(nil, "http://"+text)
	if err != nil {
		return ""
	}
	site := Origin(request[:originEnd(request)]).Site()
	if strings.Contains(site, "*") {
		return "" // which a browser takes for a name
	}
	return site
}

// validParam reports a class that is none, and a name that no query has as it is
// compared.
func validParam(site, name string, class Class) error {
	if class > Ordered {
		return fmt.Errorf("urlnorm: Params of %.300q: Class(%d) of %.300q is none: use a constant of type Class", site, class, name)
	}
	if is, ok := paramIn(name); !ok || is != name {
		return fmt.Errorf("urlnorm: Params of %.300q: no parameter is called %.300q: write it as URL.Unknown does, such as %.300q", site, name, is)
	}
	return nil
}

// paramIn returns how a name of a parameter stands in keys.
func paramIn(name string) (is string, ok bool) {
	request, err := resolve(nil, "http://a.test/?"+name+"=")
	_, query, _ := strings.Cut(request, "?")
	pair, _, _ := strings.Cut(unescape(query), "&")
	is, _, _ = strings.Cut(pair, "=")
	return is, err == nil
}

// validRules reports rules that no site can be given, and two that are not for one.
func validRules(site string, chosen []Rule) error {
	var faults []error
	for _, rule := range chosen {
		if !isSiteRule(rule) {
			faults = append(faults, fmt.Errorf("urlnorm: Rules of %.300q: no site can be given the rule %.300q: use a constant of type Rule", site, rule))
		}
	}
	if slices.Contains(chosen, FoldToBare) && slices.Contains(chosen, FoldToWWW) {
		faults = append(faults, fmt.Errorf("urlnorm: Rules of %.300q: %s and %s contradict each other: choose the host that answers", site, FoldToBare, FoldToWWW))
	}
	return errors.Join(faults...)
}
