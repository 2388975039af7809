package urlnorm

// A Rule is the name of one thing that makes two different requests equal, beyond
// what RFC 3986 calls equal, so that merges can be chosen and counted. The
// constants are those of Standard; a Normalizer may have its own.
//
// A rule that is chosen for a site puts its name and version into the Version of
// that site's keys. No rule changes a request but FoldToBare and FoldToWWW, which
// say so.
type Rule string

// What Standard always does, unless it is StandardExact, and what Params does.
const (
	FoldTracking Rule = "tracking" // leaves the standard set of tracking parameters out
	FoldParams   Rule = "params"   // leaves out and reorders what Params classes
)

// Rules that a site may be given. Each is off unless Rules names it.
const (
	// FoldSessions leaves session ids out, of a known list and in any case of
	// letters: ?PHPSESSID=1, /a;jsessionid=1, /(S(1))/a.
	FoldSessions Rule = "sessions"
	// FoldOthers leaves every parameter out that no class names.
	FoldOthers Rule = "others"
	// FoldOrder sorts the parameters that no class names: their order means nothing.
	// URL.Unknown names them all the same, and those of class Ordered stand before them.
	FoldOrder Rule = "order"
	// FoldEmpty leaves out a question mark or an ampersand with nothing behind it.
	FoldEmpty Rule = "empty"
	// FoldSlashes makes one of several slashes in a path.
	FoldSlashes Rule = "slashes"
	// FoldIndex leaves the name of a directory's page out: index.html, default.aspx.
	FoldIndex Rule = "index"
	// FoldTrailingSlash leaves the slash at the end of a path out.
	FoldTrailingSlash Rule = "trailing_slash"
	// FoldPathCase lowers the case of ASCII letters in the path.
	FoldPathCase Rule = "path_case"

	// FoldToBare and FoldToWWW make one host of the site's own name with and without
	// www. Two origins never share a key, so this alone rewrites the request, and
	// with it the origin: choose the host that does not redirect to the other.
	FoldToBare Rule = "to_bare"
	FoldToWWW  Rule = "to_www"

	// SplitRoutes merges nothing: it keeps two fragments apart that begin with #! or
	// #/, for pages that a browser renders. Key.Route returns what the request lacks.
	SplitRoutes Rule = "routes"
)

// ruleVersions are the rules that a site may be given, in the order in which its
// keys name them. A change of what a rule folds needs a new version, or old and new
// keys would be compared.
var ruleVersions = []struct {
	rule    Rule
	version string
}{
	{FoldSessions, "1t" + standardParams.version}, // which has the list
	{FoldOthers, "1"}, {FoldOrder, "1"}, {FoldEmpty, "1"},
	{FoldSlashes, "1"}, {FoldIndex, "1"}, {FoldTrailingSlash, "1"}, {FoldPathCase, "1"},
	{FoldToBare, "1"}, {FoldToWWW, "1"}, {SplitRoutes, "1"},
}

// isSiteRule reports whether a site may be given r.
func isSiteRule(r Rule) bool {
	for _, known := range ruleVersions {
		if known.rule == r {
			return true
		}
	}
	return false
}
