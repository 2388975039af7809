// Package fetchtest answers: what does a crawler do when the web does this? It
// is a web of many hosts in one text file, for tests and examples; it imports no
// testing package.
//
// A [Web] is read by [Open] or [Parse], extended in code by [Web.Handle], and
// reached in one of two ways. As an [http.RoundTripper] it needs no sockets, and
// its delays pass on the clock of testing/synctest if it was opened inside the
// bubble. [Web.Serve] puts the same web on loopback listeners, and returns a
// dialer that finds its hosts there; a crawler must be allowed to reach loopback
// (fetch.Config.Allow). Either way [Web.Log] tells what was asked,
// when, and how many requests an origin had to bear at once.
//
// # The file
//
// The file is a txtar archive. A section named by a URL holds what that URL
// answers:
//
//	-- http://a.test/ --
//	<a href="/one">1</a>
//	-- http://a.test/old --
//	HTTP 301
//	Location: /one
//	-- http://a.test/busy --
//	HTTP 503
//	Retry-After: 9
//	! delay 2s
//
//	Come back later.
//	-- http://a.test/busy --
//	<p>Now it works.
//	-- http://nowhere.test/* --
//	! dns
//	-- want requests --
//	0s 200 http://a.test/
//
// A section is a body, unless it begins with a head: a line "HTTP status", then
// header lines and directives, up to an empty line. A head that begins with a
// directive has status 200. A body that itself begins with "HTTP " or "!" needs
// a head before it. Content-Type follows from the path, and is HTML where the
// path does not tell; an empty "Content-Type:" sends none. A Content-Length
// that is larger than the body is sent as written, and then the connection
// closes.
//
// Two sections of one URL are its first and its second answer; the last one
// repeats. A name that ends in "*" answers every URL that begins so and has no
// section of its own; the longest name wins. Without a section a known origin
// answers 404, another port of a known host refuses the connection, and an
// unknown host does not resolve.
//
// Directives shape the answer:
//
//	! delay 2s       waits before the status line
//	! chunked        sends the body without a length
//	! gzip           compresses the body, and says so in Content-Encoding
//	! base64         decodes the body first
//	! repeat 1000    sends the body so many times
//	! trickle 100ms  sends the body byte by byte, each after a wait
//
// or break it:
//
//	! truncate 10    closes the connection after 10 bytes of body
//	! reset          resets the connection instead of answering
//	! reset 10       resets it after 10 bytes of body
//	! stall 10       falls silent after 10 bytes of body
//	! timeout        never answers
//	! close          closes the connection without an answer
//	! garbage        answers something that is not HTTP
//
// or break a whole host, in a section named "http://host/*":
//
//	! dns            the name does not exist
//	! refused        the connection is refused
//	! tls            the certificate is for another host
//
// A section "want name" answers nothing: [Web.Want] returns it, for a test to
// compare with. Any other section is a fault, which [Parse] reports with its
// line.
package fetchtest
