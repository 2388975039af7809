package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
	table("url/facts.jsonl", pastRules, judgeRules).named("url/facts rules"),
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

// pastRules are merges of other normalizers that no rule of this module makes.
var pastRules = map[string]string{
	"u8e51e097e7": "a fragment is no query, even if it has a question mark",
	"u3c55bfb49d": "a session id is left out whatever its length",
	"u5ead5e96a6": "www34 is another host: which hosts are one is not guessed from numbers",
	"uf1fba146fa": "a host name is not repaired: browsers ask for it as it is",
}

// judgeWPT compares requests with web-platform-tests.
func judgeWPT(_ fs.FS, row struct {
	Input, Href string
	Base        *string
	Failure     bool
}) verdict {
	id := show(row.Input)
	if row.Base != nil && *row.Base != "" {
		id += " on " + *row.Base
	}
	if strings.HasPrefix(row.Href, "file:") || row.Failure && row.Base != nil && strings.HasPrefix(*row.Base, "file:") {
		return verdict{foreign: true}
	}
	got, err := resolve(row.Base, row.Input)
	if row.Failure {
		return refused(id, got, err, "")
	}
	return requested(id, row.Href, got, err)
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
	want, _, _ = strings.Cut(want, "#")
	return found(id, want, got, err, got.Request)
}

// keyed is the verdict on a reference whose key is want.
func keyed(id, want string, got urlnorm.URL, err error) verdict {
	return found(id, want, got, err, got.Key.Text)
}

// found is the verdict on one form of a URL. What browsers would load and this
// module refuses on purpose must be refused, and by its own word.
func found(id, want string, got urlnorm.URL, err error, form string) verdict {
	if word := onPurpose(want); word != "" {
		return refused(id, got, err, word)
	}
	if err != nil {
		return verdict{id: id, failure: fmt.Sprintf("want %s, got %v", want, err)}
	}
	return compare(id, want, form)
}

// onPurpose returns the word by which an absolute URL is refused that browsers would
// load: another scheme, credentials, or a name that DNS cannot hold (RFC 1035,
// section 2.3.4), with which browsers fail later.
func onPurpose(url string) urlnorm.Reject {
	scheme, rest, _ := strings.Cut(url, ":")
	authority, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	host, _, _ := strings.Cut(authority, ":")
	switch {
	case scheme != "http" && scheme != "https":
		return urlnorm.UnsupportedScheme
	case strings.Contains(authority, "@"):
		return urlnorm.UserInfo
	case len(strings.TrimSuffix(host, ".")) > 253:
		return urlnorm.BadHost
	}
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return urlnorm.BadHost
		}
	}
	return ""
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
	if row.Output == nil {
		return refused(id, got, err, "")
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
	case !strings.HasSuffix(row.Profile, "-rfc3986"):
		return verdict{foreign: true}
	case row.Expected == nil:
		return refused(row.ID, got, err, "")
	case row.Profile == "resolve-rfc3986":
		return requested(row.ID, *row.Expected, got, err)
	case row.Profile == "normalize-rfc3986":
		return keyed(row.ID, *row.Expected, got, err)
	case row.Profile == "not-equivalent-rfc3986":
		other, err2 := resolve(base, *row.Expected)
		if err != nil || err2 != nil || other.Key == got.Key {
			return verdict{id: row.ID, failure: fmt.Sprintf("want two keys, got %v and %v (%v, %v)", got.Key, other.Key, err, err2)}
		}
		return verdict{id: row.ID}
	}
	return verdict{foreign: true}
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

// A ruled fact is a row of a profile that a site can be given by rules.
type ruledFact struct {
	fact
	Flags   []string        // of purell
	Args    json.RawMessage // of w3lib: names, or a list of them
	Options map[string]any
}

// profileRules are the rules that make of a site what a profile makes of all.
var profileRules = map[string][]urlnorm.Rule{
	"nutch-querystring":   {urlnorm.FoldOrder},
	"nutch-regex-default": {urlnorm.FoldSessions, urlnorm.FoldIndex, urlnorm.FoldSlashes, urlnorm.FoldEmpty},
	"ia":                  {urlnorm.FoldSessions, urlnorm.FoldToBare, urlnorm.FoldTrailingSlash, urlnorm.FoldPathCase},
	"ia-ordinary":         {urlnorm.FoldEmpty},
	"ia-aggressive":       {urlnorm.FoldEmpty, urlnorm.FoldOrder, urlnorm.FoldToBare},
}

// flagRules are purell's flags; an empty rule is what every key has.
var flagRules = map[string]urlnorm.Rule{
	"LowercaseScheme": "", "LowercaseHost": "", "UppercaseEscapes": "", "DecodeUnnecessaryEscapes": "", "EncodeNecessaryEscapes": "",
	"RemoveDefaultPort": "", "RemoveEmptyPortSeparator": "", "RemoveDotSegments": "", "RemoveFragment": "",
	"DecodeDWORDHost": "", "DecodeOctalHost": "", "DecodeHexHost": "",
	"RemoveEmptyQuerySeparator": urlnorm.FoldEmpty, "RemoveDuplicateSlashes": urlnorm.FoldSlashes, "RemoveTrailingSlash": urlnorm.FoldTrailingSlash,
	"RemoveDirectoryIndex": urlnorm.FoldIndex, "RemoveWWW": urlnorm.FoldToBare, "AddWWW": urlnorm.FoldToWWW, "SortQuery": urlnorm.FoldOrder,
}

// judgeRules compares keys with what a profile says, its site being given the same
// rules. No key has a fragment, whatever the profile does with it.
func judgeRules(_ fs.FS, row ruledFact) verdict {
	n, ours := row.normalizer()
	if !ours {
		return verdict{foreign: true}
	}
	page := urlnorm.URL{Request: "http://a.test/"}
	if row.Base != "" {
		page.Request = row.Base
	}
	got, err := n.Normalize(&page, row.Input)
	if row.Expected == nil {
		return refused(row.ID, got, err, "")
	}
	want, _, _ := strings.Cut(*row.Expected, "#")
	if u, err := (urlnorm.StandardExact{}).Normalize(&page, want); err == nil {
		want = u.Request // a path of a.test, or a host without one
	}
	return keyed(row.ID, want, got, err)
}

// normalizer returns Standard with the row's rules, and whether there are such.
func (row ruledFact) normalizer() (urlnorm.StandardExact, bool) {
	site := "a.test"
	if u, err := resolve(nil, row.Input); err == nil {
		site = u.Origin.Site()
	}
	rules, ours := profileRules[row.Profile]
	classes := map[string]urlnorm.Class{}
	switch row.Profile {
	case "purell":
		rules, ours = row.purell()
	case "w3lib-query-cleaner":
		rules, ours = row.cleaner(classes)
	}
	return urlnorm.StandardExact{
		Rules:  map[string][]urlnorm.Rule{site: rules},
		Params: map[string]map[string]urlnorm.Class{site: classes},
	}, ours
}

// purell returns the rules of the row's flags, if they ask for all that every key
// has.
func (row ruledFact) purell() (rules []urlnorm.Rule, ours bool) {
	for _, always := range []string{"LowercaseScheme", "LowercaseHost", "UppercaseEscapes", "DecodeUnnecessaryEscapes", "RemoveDefaultPort"} {
		if !slices.Contains(row.Flags, always) {
			return nil, false
		}
	}
	for _, flag := range row.Flags {
		rule, ok := flagRules[flag]
		if !ok {
			return nil, false
		}
		if rule != "" {
			rules = append(rules, rule)
		}
	}
	return rules, true
}

// cleaner classes the parameters that w3lib keeps, or removes.
func (row ruledFact) cleaner(classes map[string]urlnorm.Class) (rules []urlnorm.Rule, ours bool) {
	var list []json.RawMessage
	if json.Unmarshal(row.Args, &list) != nil || len(list) == 0 || row.Options["keep_fragments"] == true {
		return nil, false
	}
	var names []string
	if json.Unmarshal(list[0], &names) != nil {
		names = make([]string, 1)
		if json.Unmarshal(list[0], &names[0]) != nil {
			return nil, false
		}
	}
	class, rules := urlnorm.Ordered, []urlnorm.Rule{urlnorm.FoldOthers}
	if row.Options["remove"] == true {
		class, rules = urlnorm.Tracking, nil
	}
	for _, name := range names {
		classes[name] = class
	}
	return rules, true
}
