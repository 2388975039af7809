// Package robots decides whether an agent may fetch a URL (RFC 9309).
//
// [Fetch] asks an origin for its /robots.txt and returns a [Record]: what it
// said, or why it could not be read. A record's [Rules] answer for every agent
// and URL of the origin with a [Decision], which names the line or the access
// rule that decided. A [Gate] is what the frontier does with the origin: open it
// for a while, try again, or end it. A [Note] is the record in at most 1 KiB, to
// be kept where its body is not. A [Cache] holds rules, within bounds.
//
// # How one URL travels
//
//	origin without fresh rules
//	   | Fetch: /robots.txt, 5 redirects at most, each through the caller's do
//	Record -- Gate --> frontier: open {note, until, delay}, retry or ended {reason}
//	   | Rules: parsed once, cached by Cache
//	Rules.Decide(agent, url) --> Decision{Allowed, Rule, Delay}
//
// # What is guaranteed
//
//   - A group is chosen by product token, compared whole and in any case; all
//     groups of a token are one; without one, those of "*" hold.
//   - The longest matching pattern decides, allow on a tie. Rule and URL are
//     brought to one percent-encoding first: unreserved characters decoded, the
//     rest encoded. A reserved character and its encoding stay two things
//     ("/a:b" is not "/a%3Ab"), except for %2A and %24, which RFC 9309 names.
//   - Only allow and disallow lines close a list of user agents. A user-agent line
//     that names nobody still opens a group; Crawl-delay, Sitemap and unknown lines
//     change nothing about groups.
//   - One decision takes time linear in the rules of the group and in the URL,
//     whatever the wildcards. The first 500 KiB of a file count, to the last whole
//     line.
//   - 2xx: the rules. 4xx, and more than 5 redirects: unavailable, everything is
//     allowed. 429, 5xx, a failure of the network, a body that was cut off:
//     unreachable, everything is disallowed, and it is tried again.
//   - A record belongs to the origin that was asked, never to where a redirect led.
//
// # What is left to others
//
// When to fetch, how politely, and the address guard: the frontier's gate lease
// and the caller's do. Storing bodies. Robots meta elements and X-Robots-Tag are
// about pages: package internal/links.
package robots
