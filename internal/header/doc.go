// Package header answers: what does the value of this HTTP header field mean?
//
// A field is given as its values, one string for each line in which it came, as
// net/http keeps them: bytes, which need not be UTF-8. What is read is a
// [MediaType], a date, a wait, a length, a [Link], or the reference of a
// redirect.
//
// # How one value travels
//
//	Content-Type: text/html; charset=gbk     two lines of one field
//	Content-Type: text/html;x="a,b"
//	   | list.go         joined and split at commas outside quotes
//	text/html; charset=gbk  |  text/html;x="a,b"
//	   | mediatype.go    each is parsed as the MIME standard says
//	   | contenttype.go  the last one counts, and keeps the charset
//	text/html;x="a,b";charset=gbk
//
// # What it guarantees
//
//   - What browsers accept is accepted, and means what it means to them: the
//     MIME Sniffing and Fetch standards of the WHATWG, RFC 9110 for dates and
//     waits, RFC 8288 for links, RFC 6265 for the dates of cookies. Where these
//     leave a choice, the comment on the function names it.
//   - What means nothing is reported as absent or counted as skipped, and is never
//     guessed at.
//   - Every function is pure, does not panic on any input, and takes time linear
//     in its length. A media type or a link has at most [MaxParameters], and a
//     field at most [MaxLinks].
//   - A printed media type is read back as the same one.
//
// # What it leaves to others
//
// How long a field may be is bounded where it is received, in package fetch. How
// long an origin may make a crawler wait is fetch's policy. References are
// resolved by package urlnorm, and labels of encodings by internal/charset.
package header
