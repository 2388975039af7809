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
//	http://site.test/a/%7Eb?utm_source=x&n=1  what is asked for: Request
//	   | RFC 3986, safe steps only            escape.go
//	   | parameter classes                    params.go
//	http://site.test/a/~b?n=1                 what is compared: Key.Text
//
// # What is guaranteed
//
//   - Resolution is what browsers do (WHATWG URL). The fast path, plain string
//     operations on references of ordinary characters, gives the same answer as
//     the slow one; a fuzz test holds it to that.
//   - The request is never the key. Whatever a rule removes from the key is still
//     requested.
//   - The key folds nothing but what RFC 3986, section 6.2.2, calls equal, one
//     trailing dot of the host, and what a named parameter class says. [Standard]
//     drops a versioned set of tracking parameters; [StandardExact] drops none.
//   - Key.Version names the rules: another set of rules makes another identity,
//     and a rule for one site changes the keys of that site alone.
//   - Normalizing a Request again gives the same Request and Key.
//   - Every refusal is a [Reject] with its own word, so that it can be counted.
//   - A reference and a request are at most [MaxLength] bytes.
//
// # What is left to others
//
// Scope, robots rules and addresses are policy: packages frontier, robots and
// fetch. Which links of a page are worth resolving: package internal/links.
package urlnorm
