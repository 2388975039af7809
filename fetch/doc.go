// Package fetch answers: what came back from this URL? It makes one HTTP
// exchange, bounded and classified; it never follows a redirect and never
// retries.
//
// A [Client] is made once from a [Config] and used by everybody. A [Request] is
// one GET. A [Response] is what became of it, and its [Class] is the word that
// is counted: whatever happens is a Response, because a ledger has a row for it.
//
// # How one URL travels
//
//	Request.URL   is split by hand, and requested byte for byte
//	dial          names resolved; the guard sees the address really dialled
//	send          OnSent reports the moment, from which politeness counts
//	head          at most HeaderMax bytes
//	body          wire -> gzip, deflate, br, zstd -> at most Limit bytes
//	class         one pure function of status, header and the body's first bytes
//
// One deadline covers all of it, from the name to the last byte; within a body a
// second one bounds silence.
//
// # What it guarantees
//
//   - Do makes at most one request. A connection that turns out to be dead before
//     it is used is replaced; one that dies with the request on it ends the
//     exchange. (Over HTTP/2 a request is sent again when the server said that it
//     did not process it.)
//   - Time and bytes are bounded, those of the wire and those after
//     decompression. A body that was cut says why in Truncated, in the words of
//     WARC: "length", "time", "disconnect". A body that is whole but damaged is
//     delivered with a Defect.
//   - Private, loopback, link-local, multicast and metadata addresses are not
//     connected to, in whatever form a name or a redirect leads there, unless
//     Config.Allow has them.
//   - A remainder that is not wanted is drained if it is small, and every body is
//     closed on every path: connections are reused or given back.
//   - Secrets stay out: a URL with user information is refused, and neither
//     Response.URL nor an error repeats it. There is no Referer.
//
// # What it leaves to others
//
// Whether a URL may be fetched (robots, scope, budget), when (the frontier), and
// what follows from the answer: a redirect is re-admitted as a URL of its own,
// and a retry is the frontier's. It does not cache.
package fetch
