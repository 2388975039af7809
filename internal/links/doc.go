// Package links answers: what does this response refer to, and what does it ask of
// crawlers?
//
// A [Link] is one reference as it was written, with the rule that found it ("a",
// "img[srcset]", "link[rel=next]", "header[rel=next]"), its rel, its text and its
// place. A [Result] holds the links of a response, the base of its page, and its
// [Directives].
//
// # How one reference travels
//
//	<A Rel=next HREF=" /p?a=1&amp;b=2 ">Next <b>page</b></A>
//	   | scanner.go     cut into tokens, in place
//	   | document.go    is it in a template, in SVG, in the head, in a frameset?
//	   | elements.go    does this attribute of this element refer to anything?
//	   | decode.go      character references
//	   | anchor.go      the text, up to where a browser would end the element
//	Link{Observed: " /p?a=1&b=2 ", Rule: "a", Rel: "next", Text: "Next page", Offset: 0}
//
// One pass over the tokens finds them, without a tree: depth, missing end tags and
// a cut page do no harm.
//
// # What it guarantees
//
//   - The links of the header come first, then those of the page in its order, each
//     with the offset of its tag.
//   - They are those of the tree that a browser without scripts builds, once for
//     each tag, with the text that the DOM gives the element; a test compares the
//     two. A declarative shadow root is a part of the page, whatever element it
//     stands in, and gives its text to a link around it. A page of frames keeps what else stands in it, and an a element that is
//     left open in a table outside its cells ends with its row.
//   - Every byte of the page is looked at. [Options] bounds the references; those
//     beyond are counted, with the first as an example. Time is linear in the page,
//     and memory in these bounds.
//   - The links of the first part of a page are the first links of the page: what a
//     truncation cuts in two is not there.
//   - Tokens are those of golang.org/x/net/html; a fuzz test holds the scanner to
//     it, but for comments in scripts, where the scanner follows the standard.
//
// # What counts
//
// What stands in noscript is part of the page, but for a base. What stands in
// template, unless it is a shadow root, comments, script, style, textarea, title,
// iframe, noframes and srcdoc is not, nor are data-* attributes, which are for
// scripts, and the content of meta elements other than refresh. An image gives no text to the link around it.
// Where the page is XHTML served as such, a tag that closes itself is empty, CDATA
// is text, and a prefix of an element's name means nothing; what is wrong with it
// as XML is overlooked.
//
// # What is left to others
//
// References are neither cleaned nor resolved: package urlnorm does that, against
// what [Result.BaseOf] says. Which of them are followed is for [Followed] and the
// crawler's own rules to say. Fields of the header are taken apart by package
// header.
package links
