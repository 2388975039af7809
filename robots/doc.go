// Package robots decides whether an agent may fetch a URL (RFC 9309).
//
// [Fetch] asks an origin for its /robots.txt and returns a [Record]: what it
// said, or why it could not be read. A record's [Rules] answer for every agent
// and URL of the origin with a [Decision], which names the line or the access
// rule that decided. A [Policy] is what an operator asks for beside the protocol:
// it can only be stricter, and what both say is kept apart. A [Gate] is what the
// frontier does with the origin: open it for a while, try again, or end it. A
// [Note] is the record in at most 1 KiB, to be kept where its body is not. A
// [Cache] holds rules, within bounds. A [SecondOpinion] is what most Go crawlers
// would have decided: it decides nothing.
//
// # How one URL travels
//
//	origin without fresh rules
//	   | Fetch: /robots.txt, 5 redirects at most, each through the caller's do
//	Record -- Gate, with the operator's Policy --> frontier: open {note, until, delay}, retry or ended {reason}
//	   | Rules: parsed once, cached by Cache
//	Rules.Decide(agent, url) --> Decision{Allowed, Policy, Rule, Line, Group, Delay}
//
// # What is guaranteed
//
//   - A group is chosen by product token, compared whole and in any case; all
//     groups of a token are one; without one, those of "*" hold.
//   - The longest matching pattern decides, allow on a tie. Rule and URL are
//     brought to one percent-encoding first: unreserved characters decoded, the
//     rest encoded. A reserved character and its encoding stay two things
//     ("/a:b" is not "/a%3Ab"), in path and query alike, except for %2A and %24,
//     which RFC 9309 names, and for %27, which is how an apostrophe in a query is
//     requested.
//   - Only allow and disallow lines close a list of user agents. A user-agent line
//     that names nobody still opens a group; Crawl-delay, Sitemap and unknown lines
//     change nothing about groups. A Crawl-delay is for those whom the lines right
//     above it name, or for everybody in a file that names nobody.
//   - A pattern is matched in time linear in it and in the URL, whatever its
//     wildcards; a decision tries each rule of the group once. The first 500 KiB of
//     a file count, to the last whole line.
//   - 2xx: the rules, also of a part (206), and whatever the type: a page in HTML
//     mostly has none. A file may be in UTF-8 or, with a byte order mark, in UTF-16;
//     bytes that are no text spoil their own line only. 4xx, and more than 5
//     redirects: unavailable, everything is allowed. 429, 5xx, a failure of the
//     network, a 304 that nobody asked for, a body that was cut off or of which a
//     coding cannot be undone, and a challenge, a login or a payment wall that comes
//     with 2xx or 3xx: unreachable, everything is disallowed, and it is tried
//     again.
//   - A record is used for a day at most, or as long as Cache-Control or Expires
//     say, but for 5 minutes; while it cannot be renewed, for a day more.
//   - A record belongs to the origin that was asked, never to where a redirect led.
//     Redirects obey what do obeys (the address guard), not the scope of pages.
//
// # What is left to others
//
// When to fetch, how politely, with which headers, and the address guard: the
// frontier's gate lease and the caller's do. Storing bodies. Resolving and
// fetching sitemaps. Robots meta elements and X-Robots-Tag are about pages:
// package internal/links.
package robots
