// Package urlnorm decides when two references name one resource.
//
// A page writes a reference; a [Normalizer] turns it into a [URL], which keeps
// three forms that must never be confused: what the page wrote (Observed), the
// bytes to request (Request), and what is compared (Key). An [Origin] is scheme,
// host and port, the unit of politeness and of robots.txt; its Site is the
// registrable domain.
//
// # How a reference travels
//
//	" ../a/%7Eb?utm_source=x&n=1#top "       as the page wrote it: Observed
//	   | resolve, as a browser would          fast.go, or slow.go for the odd ones
//	   | in the charset of the page           charset.go
//	http://site.test/a/%7Eb?utm_source=x&n=1  what is asked for: Request
//	   | RFC 3986, safe steps only            escape.go
//	   | named rules of the site              rule.go, params.go, pathrule.go
//	http://site.test/a/~b?n=1                 what is compared: Key.Text
//
// A [Rule] merges what RFC 3986 keeps apart. The one that is always on, unless the
// Normalizer is [StandardExact], leaves tracking parameters out (params.txt); every
// other is chosen for a site, by [Standard].Rules or by the classes of its query
// parameters. URL.Folded names the rules that changed a key, so that merges can be
// counted, and a [ParamReport] tells where another would merge most.
//
// # What is guaranteed
//
//   - Resolution is what browsers do (WHATWG URL). The fast path, plain string
//     operations on references of ordinary characters, gives the same answer as
//     the slow one; a fuzz test holds it to that, and internal/conformance both to
//     web-platform-tests.
//   - The request is never the key. Whatever a rule removes from the key is still
//     requested. The two rules that make one host of two say so: they move the
//     request.
//   - The key folds nothing but what RFC 3986, section 6.2.2, calls equal, one
//     trailing dot of the host, and what the rules in URL.Folded say.
//   - Key.Version names the rules: another set of rules makes another identity,
//     and a rule for one site changes the keys of that site alone.
//   - Normalizing a Request again gives the same Request and Key.
//   - Every refusal is a [Reject] with its own word, so that it can be counted.
//   - A reference, a request and a key are at most [MaxLength] bytes, and take time
//     in proportion to theirs. A report has its bounds, too.
//
// # What is left to others
//
// Scope, robots rules and addresses are policy: packages frontier, robots and
// fetch. Which links of a page are worth resolving: package internal/links. Whether a
// Normalizer of your own keeps the contract: package urlnorm/normtest.
package urlnorm
