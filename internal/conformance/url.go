package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/weircrawl/weir/urlnorm"
)

// urlSuites judge the tables of url.
var urlSuites = []suite{
	table("url/wpt/urltestdata.json", nil, judgeWPT),
	table("url/wpt/toascii.json", nil, judgeHost),
	table("url/wpt/IdnaTestV2.json", newLetters, judgeHost),
	table("url/wpt/IdnaTestV2-removed.json", nil, judgeHost),
	table("url/wpt/percent-encoding.json", nil, judgeCharset),
	table("url/facts.jsonl", pastRFC3986, judgeFact),
	table("url/facts.jsonl", nil, judgeWHATWG).named("url/facts whatwg"),
	table("url/admission.jsonl", nil, judgeAdmission),
}

// newLetters are of Unicode 17, whose tables x/net/idna has from Go 1.27 on.
var newLetters = map[string]string{
	show("\U0003293120.\u97f3.\ua8661."): unicode17,
	show("\U00032b9a9\ua369\u17d3.ss"):   unicode17,
	show("\U00032b9a9\ua369\u17d3.SS"):   unicode17,
}

const unicode17 = "a letter of Unicode 17, which x/net/idna knows from Go 1.27 on"

// pastRFC3986 are resolutions on which browsers, and we, differ from the RFC.
var pastRFC3986 = map[string]string{
	"ua2d28446ff": "browsers write the empty path of http as /, which RFC 3986, section 6.2.3, calls equal",
	"u7fec61e09c": "http:g is relative for browsers, which RFC 3986, section 5.4.2, allows for compatibility",
}

// judgeWPT compares requests with web-platform-tests. What browsers would load and
// this module refuses on purpose must be refused under its own name.
func judgeWPT(_ fs.FS, row struct {
	Input, Href, Protocol, Username, Password string
	Base, RelativeTo                          *string
	Failure                                   bool
}) verdict {
	id := show(row.Input)
	if row.Base != nil && *row.Base != "" {
		id += " on " + *row.Base
	}
	if !ours(row.Input, row.Base, row.Protocol) {
		return verdict{foreign: true}
	}
	got, err := resolve(row.Base, row.Input)
	switch {
	case row.Failure:
		return refused(id, got, err, "")
	case row.Protocol != "http:" && row.Protocol != "https:":
		return refused(id, got, err, urlnorm.UnsupportedScheme)
	case row.Username != "" || row.Password != "":
		return refused(id, got, err, urlnorm.UserInfo)
	}
	return requested(id, row.Href, got, err)
}

// ours reports whether a row is about http, or is refused whatever it is about.
func ours(input string, base *string, protocol string) bool {
	if protocol != "" {
		return protocol != "file:"
	}
	return base == nil || isHTTP(*base)
}

func isHTTP(s string) bool {
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
}

func resolve(base *string, ref string) (urlnorm.URL, error) {
	if base == nil {
		return urlnorm.StandardExact{}.Normalize(nil, ref)
	}
	return urlnorm.StandardExact{}.Normalize(&urlnorm.URL{Request: *base}, ref)
}

// refused is the verdict on a reference that must be refused, as word if that is
// given.
func refused(id string, got urlnorm.URL, err error, word urlnorm.Reject) verdict {
	var reject urlnorm.Reject
	switch {
	case err == nil:
		return verdict{id: id, failure: fmt.Sprintf("want a refusal, got %s", got.Request)}
	case !errors.As(err, &reject) || word != "" && reject != word:
		return verdict{id: id, failure: fmt.Sprintf("want %s, got %v", word, err)}
	}
	return verdict{id: id}
}

// requested is the verdict on a reference whose URL is want.
func requested(id, want string, got urlnorm.URL, err error) verdict {
	if err != nil {
		return verdict{id: id, failure: fmt.Sprintf("want %s, got %v", want, err)}
	}
	want, _, _ = strings.Cut(want, "#")
	return compare(id, want, got.Request)
}

// fitsDNS reports whether a name is short enough to be looked up (RFC 1035, section
// 2.3.4). Browsers do not care before they try; this module refuses to try.
func fitsDNS(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return len(strings.TrimSuffix(host, ".")) <= 253
}

// judgeHost compares the host of an http URL with what "domain to ASCII" gives.
func judgeHost(_ fs.FS, row struct {
	Input  string
	Output *string
}) verdict {
	id := show(row.Input)
	if row.Input == "" {
		return verdict{foreign: true} // no URL has such a host
	}
	got, err := resolve(nil, "http://"+row.Input+"/x")
	switch {
	case row.Output == nil:
		return refused(id, got, err, "")
	case !fitsDNS(*row.Output):
		return refused(id, got, err, urlnorm.BadHost)
	}
	return requested(id, "http://"+*row.Output+"/x", got, err)
}

// judgeCharset compares the query of one reference on pages of several charsets.
func judgeCharset(_ fs.FS, row struct {
	Input  string
	Output map[string]string
}) verdict {
	got := map[string]string{}
	for charset := range row.Output {
		page := urlnorm.URL{Request: "http://a.test/", Charset: charset}
		u, err := urlnorm.StandardExact{}.Normalize(&page, "?"+row.Input)
		if err != nil {
			return verdict{id: show(row.Input), failure: charset + ": " + err.Error()}
		}
		_, got[charset], _ = strings.Cut(u.Request, "?")
	}
	return compare(show(row.Input), row.Output, got)
}

type fact struct {
	ID, Profile, Input, Base string
	Expected, WHATWG         *string
}

// judgeFact compares keys with what a normalizer of the row's profile says.
func judgeFact(_ fs.FS, row fact) verdict {
	base := &row.Base
	if row.Base == "" {
		base = nil
	}
	got, err := resolve(base, row.Input)
	switch {
	case row.Profile == "resolve-rfc3986" && row.Expected != nil && isHTTP(*row.Expected):
		return requested(row.ID, *row.Expected, got, err)
	case row.Profile == "resolve-rfc3986":
		return refused(row.ID, got, err, "")
	case row.Profile == "normalize-rfc3986":
		return keyed(row.ID, row.Expected, got, err)
	case row.Profile == "not-equivalent-rfc3986":
		other, err2 := resolve(base, *row.Expected)
		if err != nil || err2 != nil || other.Key == got.Key {
			return verdict{id: row.ID, failure: fmt.Sprintf("want two keys, got %v and %v (%v, %v)", got.Key, other.Key, err, err2)}
		}
		return verdict{id: row.ID}
	}
	return verdict{foreign: true}
}

// keyed is the verdict on a reference whose key is want; nil: that is refused.
func keyed(id string, want *string, got urlnorm.URL, err error) verdict {
	switch {
	case want == nil:
		return refused(id, got, err, "")
	case !isHTTP(*want):
		return refused(id, got, err, urlnorm.UnsupportedScheme)
	case err != nil:
		return verdict{id: id, failure: fmt.Sprintf("want %s, got %v", *want, err)}
	}
	return compare(id, *want, got.Key.Text)
}

// judgeWHATWG compares requests with those of a browser's parser.
func judgeWHATWG(_ fs.FS, row fact) verdict {
	base := &row.Base
	if row.Base == "" {
		base = nil
	}
	got, err := resolve(base, row.Input)
	if row.WHATWG == nil {
		return refused(row.ID, got, err, "")
	}
	_, rest, _ := strings.Cut(*row.WHATWG, "//")
	authority, _, _ := strings.Cut(rest, "/")
	switch {
	case !isHTTP(*row.WHATWG):
		return refused(row.ID, got, err, urlnorm.UnsupportedScheme)
	case strings.Contains(authority, "@"):
		return refused(row.ID, got, err, urlnorm.UserInfo)
	case !fitsDNS(authority):
		return refused(row.ID, got, err, urlnorm.BadHost)
	}
	return requested(row.ID, *row.WHATWG, got, err)
}

// judgeAdmission compares what is requested, or the name of the refusal.
func judgeAdmission(_ fs.FS, row struct {
	ID, Href, Outcome, URL, Reason string
	Base                           *string
}) verdict {
	got, err := resolve(row.Base, row.Href)
	if row.Outcome == "admit" {
		return requested(row.ID, row.URL, got, err)
	}
	word, ok := reasons[row.Reason]
	if !ok {
		word = urlnorm.Reject(row.Reason)
	}
	return refused(row.ID, got, err, word)
}

// reasons are this module's words for the table's.
var reasons = map[string]urlnorm.Reject{
	"scheme": urlnorm.UnsupportedScheme, "userinfo": urlnorm.UserInfo, "bad-port": urlnorm.BadPort,
	"bad-host": urlnorm.BadHost, "bad-host-label": urlnorm.BadHost, "too-long": urlnorm.TooLong,
}
