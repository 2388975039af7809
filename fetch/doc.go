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
//	head          at most HeaderMax bytes; lines that browsers overlook are mended
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
//     did not process it, at most three times.) A Transport that follows redirects
//     is not believed: see [ErrFollowed].
//   - Time and bytes are bounded, those of the wire and those after
//     decompression. A body that was cut says why in Truncated, in the words of
//     WARC: "length", "time", "disconnect". An answer that is whole but damaged is
//     delivered with a Defect, and Undecoded where its codings hid a part of it. Beside Limit bytes of body, an exchange takes what
//     the format of a coding needs: 8 MiB for zstd, up to 16 MiB for br, a layer.
//   - Private, loopback, link-local, multicast and metadata addresses are not
//     connected to, in whatever form a name or a redirect leads there, unless
//     Config.Allow has them. What counts is the address that is dialled, so that a
//     name which changes after a check gains nothing. Proxies of the environment
//     are not used: they would dial in our place.
//   - A login, a payment and a challenge are recognised by few and narrow marks,
//     named in Mark, and refused. None is ever worked around.
//   - A remainder that is not wanted is drained if it is small, and every body is
//     closed on every path: connections are reused or given back.
//   - Secrets stay out: a URL with user information is refused, and neither
//     Response.URL nor an error repeats it. There is no Referer. Headers of a
//     Request, such as Authorization, are of that request only; cookies are decided
//     again for each, by a [Jar] or what the caller gives.
//   - After Close, no connection is left once the last exchange has ended.
//
// # What it leaves to others
//
// Whether a URL may be fetched (robots, scope, budget), when (the frontier), and
// what follows from the answer: a redirect is re-admitted as a URL of its own,
// and a retry is the frontier's. It does not cache.
//
// The header blocks of a Response are written anew: net/http keeps neither the
// order of names nor their case, so both are canonical; the values are as
// received. And net/http tells the standard logger of frames of HTTP/2 that it
// does not know, and of bytes behind the last chunk of a body: a program that
// wants silence sets the output of package log.
package fetch
