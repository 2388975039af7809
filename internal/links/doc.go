// Package links finds what a page refers to.
//
// A [Link] is one reference as the page wrote it, with the rule that found it
// ("a", "img[srcset]", "link[rel=next]"), its rel, its text and its place. A
// [Result] holds a page's links in the order of the document, its base, and what
// its robots meta elements ask for.
//
// One pass over the tokens of a page finds them; no tree is built, so that depth,
// missing end tags and a cut page do no harm. Scripts do not run: what stands in
// noscript is part of the page, and what stands in template, comments, script,
// style, textarea and title is not.
//
// # What is guaranteed
//
//   - Links are in document order, each with the offset of its tag.
//   - The first base with a href counts, as in browsers.
//   - Every byte of the page is looked at. [Options] bounds the references; those
//     beyond are counted, with the first as an example. Time is linear in the page,
//     and memory in these bounds.
//   - Tokens are those of golang.org/x/net/html; a fuzz test holds the scanner to
//     it, but for comments in scripts, where the scanner follows the standard.
//
// # What is left to others
//
// References are neither cleaned nor resolved: package urlnorm does that. Which
// of them are followed is for [Followed] and the crawler's own rules to say.
package links
