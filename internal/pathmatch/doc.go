// Package pathmatch answers: does the path and query of a URL begin as a path
// pattern of robots.txt says?
//
// A Pattern is what stands behind Allow or Disallow: a literal, in which * is any
// number of bytes, and $ at its end the end of the URL (RFC 9309, section 2.2.3).
// A target is path and query of a URL in normal form. A Set is some patterns, as an
// operator writes them.
//
// A URL is cut down to its target, once; each pattern is brought to normal form when
// it is read, once; then they are compared byte by byte.
//
//   - Pattern and target are compared in one percent-encoding (RFC 9309, section
//     2.2.2): nobody passes a pattern by writing a URL in another way.
//   - Matching takes time linear in the pattern and in the target, whatever they are.
//
// Which of several patterns decides, and what a match means, is for those who ask.
package pathmatch
